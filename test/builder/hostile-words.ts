const many = (count: number) => Array.from({ length: count }, (_, at) => `A${at}=1`).join(' ')

/** Repository addresses and branches; GOOD stands for an existing repository. */
export const hostileAddresses: [url: string, branch: string | null][] = [
  ['file:///etc', null],
  ['ssh://git@example.com/x.git', null],
  ['git://example.com/x.git', null],
  ['ext::sh -c "touch /tmp/berth-pwned"', null],
  ['--upload-pack=touch /tmp/berth-pwned', null],
  ['https://user:secret@example.com/x.git', null],
  ['https://example.com/x.git?y', null],
  ['https://example.com/%2e%2e/x.git', null],
  ['GOOD', '--upload-pack=touch'],
  ['GOOD', '-f'],
  ['GOOD', '../main'],
  ['GOOD', 'main:refs/heads/x'],
  ['GOOD', 'main; touch /tmp/berth-pwned'],
  ['GOOD', 'main@{1}'],
  ['GOOD', 'a\nb'],
]

export const privateAddresses: string[] = [
  'http://127.0.0.1:1/x.git',
  'http://localhost:1/x.git',
  'http://[::1]/x.git',
  'http://169.254.169.254/x.git',
  'http://10.0.0.1/x.git',
  'http://0x7f.1/x.git',
  'http://[::ffff:10.0.0.1]/x.git',
]

export const hostileImages: string[] = [
  'a'.repeat(64),
  `sha256:${'a'.repeat(64)}`,
  '../../etc/passwd',
  '/etc/passwd',
  'node:24 --privileged',
  '--privileged',
  'node;touch',
  'node@sha256:abc',
  'node@sha256:../../x',
  'node:$(touch)',
  'node\nUSER root',
  'http://127.0.0.1/x',
  'docker.io/../x',
  'node:-latest',
  `node:${'a'.repeat(129)}`,
  `${'a/'.repeat(300)}a`,
  'n\u043ede',
  'node\0',
]

export const hostileBuildArgs: string[] = [
  '--x',
  '--x=1',
  '--build-arg=--x=1',
  'A=$(touch /tmp/berth-pwned)',
  'A=1; touch /tmp/berth-pwned',
  'A=`touch /tmp/berth-pwned`',
  'A B=1',
  '1A=1',
  'A-B=1',
  '=1',
  'A=a\0b',
  'A="never closed',
  "A='never closed\nB=1",
  '{"A":',
  '{"A":{"B":1}}',
  '{"A":null}',
  '{"A":["b"]}',
  '{"--x":"1"}',
  '{"A\\nB":"1"}',
  '{"A":"a\\u0000b"}',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  many(101),
  many(10_000),
]

export const hostilePaths = {
  dockerfilePath: ['../Dockerfile', '/etc/passwd', 'link', 'up/passwd', 'a/../../x', '..\\x'],
  contextDir: ['..', '/etc', 'up', 'missing', 'a/../../etc', 'C:/'],
}
