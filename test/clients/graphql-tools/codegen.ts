import type { CodegenConfig } from '@graphql-codegen/cli'

// From a Berth that runs, by introspection, as most projects do; from the file of the repository where none is named.
const { BERTH_URL, BERTH_TOKEN = '' } = process.env

export default {
  schema: BERTH_URL ? { [`${BERTH_URL}/graphql`]: { headers: { Authorization: BERTH_TOKEN } } } : 'schema.graphql',
  documents: 'documents/*.graphql',
  generates: {
    'generated/codegen/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        useTypeImports: true,
        strictScalars: true,
        scalars: { DateTime: 'string', JSON: 'unknown' },
      },
    },
  },
} satisfies CodegenConfig
