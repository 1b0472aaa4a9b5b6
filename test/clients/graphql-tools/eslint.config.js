import graphql from '@graphql-eslint/eslint-plugin'

const { configs, parser } = graphql
const plugins = { '@graphql-eslint': graphql }
const graphQLConfig = { schema: 'schema.graphql', documents: 'documents/*.graphql' }
const languageOptions = { parser, parserOptions: { graphQLConfig } }

// Every rule is on, of all that the plug-in has, but for those that are named here.
export default [
  {
    files: ['schema.graphql'],
    languageOptions,
    plugins,
    rules: {
      ...configs['flat/schema-recommended'].rules,
      ...configs['flat/schema-all'].rules,
      ...configs['flat/schema-relay'].rules,
      // The SDL is in the order of graphql-js, by code points; graphql-schema-linter holds it to that order.
      '@graphql-eslint/alphabetize': 'off',
      // Is for schemas without one: it forbids the root types Mutation and Subscription.
      '@graphql-eslint/no-root-type': 'off',
      // Names are those of REST (`host` of a host, `podId` of a pod), and `username` does not begin with `User`.
      '@graphql-eslint/no-typename-prefix': 'off',
      // What a mutation has changed is in its payload, with what it leads to; what else a page shows is another field of
      // the same document, or another request.
      '@graphql-eslint/require-field-of-type-query-in-mutation-result': 'off',
      // ErrorCode and ErrorReason are of errors' `extensions`, to which no field leads. graphql-schema-linter has the same rule,
      // with the names of these two.
      '@graphql-eslint/no-unreachable-types': 'off',
      // Values such as a size or a usage have no id: they are part of what has one. What has an id is a Node, and is found
      // by `node`.
      '@graphql-eslint/strict-id-in-types': 'off',
      // Lines of logs and of usage, members and events have no id of their own; lists of values are no connections.
      '@graphql-eslint/relay-edge-types': [
        'error',
        { withEdgeSuffix: true, shouldImplementNode: false, listTypeCanWrapOnlyEdgeType: false },
      ],
    },
  },
  {
    files: ['documents/*.graphql'],
    languageOptions,
    plugins,
    rules: {
      ...configs['flat/operations-recommended'].rules,
      ...configs['flat/operations-all'].rules,
      // The order of fields is the author's.
      '@graphql-eslint/alphabetize': 'off',
      // A fragment stands beside the operation that uses it.
      '@graphql-eslint/lone-executable-definition': 'off',
      '@graphql-eslint/no-one-place-fragments': 'off',
      '@graphql-eslint/require-import-fragment': 'off',
    },
  },
]
