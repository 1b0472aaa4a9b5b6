import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Where a Berth runs that the development server asks. Same host, so that cookies and WebSockets work. */
const BERTH = process.env.BERTH_URL ?? 'http://localhost:4000'

export default defineConfig({
  base: '/console/',
  plugins: [react()],
  build: {
    target: 'baseline-widely-available',
    cssMinify: 'lightningcss',
    modulePreload: { polyfill: false },
    // Files by themselves get a type, a length and a cache entry; `data:` would need a wider policy.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  server: {
    host: 'localhost',
    proxy: Object.fromEntries(
      ['/graphql', '/api', '/session', '/sign-in', '/sign-out', '/account-security', '/readyz'].map((path) => [
        path,
        { target: BERTH, ws: path === '/graphql' },
      ]),
    ),
  },
})
