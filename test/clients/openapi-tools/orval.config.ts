import { defineConfig } from 'orval'

export default defineConfig({
  berth: {
    input: './openapi.json',
    output: {
      target: './generated/orval.ts',
      client: 'fetch',
      mode: 'single',
      baseUrl: `${process.env.BERTH_URL}/api/public/v1`,
    },
  },
})
