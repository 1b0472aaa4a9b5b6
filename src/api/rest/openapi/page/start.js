// Runs in the browser. Whatever Scalar would send to a host of its makers, or offer of theirs, is off; tokens that are
// typed into the page are kept by the page only.
Scalar.createApiReference('#docs', {
  url: '/openapi.json',
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  withDefaultFonts: false,
  showDeveloperTools: 'never',
  hideClientButton: true,
  persistAuth: false,
  documentDownloadType: 'json',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  authentication: { preferredSecurityScheme: 'bearer' },
  orderRequiredPropertiesFirst: true,
  theme: 'none',
  metaData: { title: 'Berth REST API' },
})
