import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { sourceFiles } from './source-files.ts'

/** What reads a body of a request, and the same words where something else is read. */
const READS =
  /\.(?:text|json|formData|arrayBuffer|blob|bytes)\(\)|\bparseBody\(|\b(?:raw|request|req|incoming)\.body\b|\b(?:request|req|incoming)\.(?:pipe|read|iterator|on\('data')|\bnodeRequest|\braw-body\b/

const READER = 'src/api/http/request-body.ts'

const OTHERS: Readonly<Record<string, string>> = {
  'src/network/git/github-app.ts': 'an answer of GitHub',
  'src/services/git/github-proof.ts': 'an answer of GitHub',
  'src/platform/doctor/processes.ts': 'an answer of a process of Berth',
  'src/engines/docker/images/own-builder/own-build.ts': 'a count of bytes',
  'src/ingress/http1/client-connection.ts':
    'requests to apps, which are passed on as they come, with BERTH_INGRESS_BODY_LIMIT_MB',
  'src/api/graphql/graphiql/fetcher.js': 'an answer of Berth in a browser',
  'src/api/sign-in/page/call.js': 'an answer of Berth in a browser',
}

test('only one file reads bodies of requests, with a bound', () => {
  const readers = sourceFiles()
    .filter(({ path, absolutePath }) => /\.[jt]s$/.test(path) && READS.test(readFileSync(absolutePath, 'utf8')))
    .map(({ path }) => path)
  expect(readers.filter((path) => path !== READER && !(path in OTHERS))).toEqual([])
  expect(Object.keys(OTHERS).filter((path) => !readers.includes(path))).toEqual([])
  expect(readers).toContain(READER)
})
