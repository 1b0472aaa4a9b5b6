import { defineConfig } from 'prisma/config'

// `prisma generate` asks for a schema-engine binary that it never runs. Berth migrates with the
// WASM build of the same engine (src/database/migrate.ts), so nothing is downloaded.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= '/bin/true'

export default defineConfig({ schema: 'prisma/schema.prisma' })
