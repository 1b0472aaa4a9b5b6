import type { Fixture } from './fixture.ts'

/** Decisions before execution: authentication, invalid documents, and limits. */
export async function graphqlProtocol({ graphql, rest }: Fixture): Promise<void> {
  const regions = '{ regions { code } }'
  await graphql('call without a token', regions, {}, { as: 'none' })
  await graphql('call with an unknown token', regions, {}, { as: 'nobody' })
  await graphql('send a document that is none', '{ regions {')
  await graphql('send an empty document', '')
  await graphql('select a field that is not there', '{ regions { colour } }')
  await graphql('select nothing', '{ regions }')
  await graphql('call a mutation that is not there', 'mutation { paint { colour } }')
  await graphql('send two operations and name none', 'query A { regions { code } } query B { regions { name } }')
  await graphql('send a variable of the wrong type', 'query ($id: ID!) { app(id: $id) { id } }', { id: { a: 1 } })
  await graphql('leave a variable out', 'query ($id: ID!) { app(id: $id) { id } }')
  const deep = `{ apps { nodes { ${'appEnvs { nodes { app { '.repeat(6)} id ${'} } }'.repeat(6)} } } }`
  await graphql('select too deep', deep)
  const aliases = Array.from({ length: 31 }, (_, n) => `a${n}: regions { code }`).join(' ')
  await graphql('use too many aliases', `{ ${aliases} }`)
  const costly = '{ apps(first: 1000) { nodes { appEnvs(first: 1000) { nodes { id } } } } }'
  await graphql('ask for too much', costly)
  await graphql('fail in one field of two', '{ regions { code } app(id: "nonsense") { id } }')
  const accept = (type: string) => ({ headers: { accept: type } })
  await graphql('accept the media type of GraphQL', regions, {}, accept('application/graphql-response+json'))
  await graphql(
    'accept the media type of GraphQL, refused',
    '{ nothing }',
    {},
    accept('application/graphql-response+json'),
  )
  await graphql('accept no JSON', regions, {}, accept('text/plain'))
  const post = (name: string, body: string, headers: Record<string, string> = {}) =>
    rest(name, 'POST //graphql', body, { headers })
  await post('send a body that is no JSON', '{"query":')
  await post('send a list for a body', '[]')
  await post('send a body without a document', '{}')
  await post('send an unknown parameter', JSON.stringify({ query: regions, colour: 'red' }))
  await post('send a body of another type', regions, { 'content-type': 'application/graphql' })
  await rest('query by GET', 'GET //graphql', { query: regions })
  await rest('mutate by GET', 'GET //graphql', {
    query: 'mutation { createAccount(input: { name: "X" }) { message: __typename } }',
  })
  await rest('call with a method that it lacks', 'DELETE //graphql')
}

/** Each mutation refuses an unknown field, and names the missing ones. */
export async function graphqlInputs({ graphql, rootFields }: Fixture): Promise<void> {
  for (const name of await rootFields('Mutation')) {
    const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input!`
    await graphql(`unknown field: ${name}`, `mutation ($input: ${type}) { ${name}(input: $input) { __typename } }`, {
      input: { colour: 'red' },
    })
  }
}
