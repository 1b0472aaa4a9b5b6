import { answer, answerJson, type ServerContext } from '../http/context.ts'

const PLACES = [
  { path: '/graphql', about: 'GraphQL API, and GraphiQL in a browser' },
  { path: '/api/public/v1', about: 'REST API v1' },
  { path: '/docs', about: 'REST documentation' },
  { path: '/docs/errors', about: 'Every error code, and what to do about it' },
  { path: '/openapi.json', about: 'OpenAPI 3.1 document' },
  { path: '/readyz', about: 'Which part is ready, and which is not' },
] as const

const items = PLACES.map(({ path, about }) => `<li><a href="${path}">${path}</a> – ${about}</li>`).join('\n')

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Berth</title>
<h1>Berth</h1>
<ul>
${items}
</ul>
</html>
`

/** The links to everything, as a page or as JSON. */
export function answerIndex(c: ServerContext): Response {
  const wantsPage = c.req.header('accept')?.includes('text/html')
  if (wantsPage) return answer(c, 200, PAGE, { 'Content-Type': 'text/html; charset=utf-8' })
  return answerJson(c, 200, { name: 'berth', ...Object.fromEntries(PLACES.map(({ path, about }) => [path, about])) })
}
