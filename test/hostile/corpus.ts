// biome-ignore-all lint/suspicious/noTemplateCurlyInString: attacks are written as attackers write them
/** What attackers type. Each must come back as it was sent, or be refused. */
export const ATTACKS: Readonly<Record<string, readonly string[]>> = {
  sql: [
    "'; DROP TABLE app; --",
    '1 OR 1=1',
    "' UNION SELECT hash FROM token --",
    "'||pg_sleep(5)||'",
    '$1',
    '"; SELECT 1; --',
    "\\'; COMMIT; --",
    '%_%',
    "E'\\x00'",
  ],
  shell: [
    '$(touch /tmp/owned)',
    '`id`',
    '; rm -rf / #',
    '| cat /etc/passwd',
    '&& reboot',
    '${IFS}cat${IFS}/etc/passwd',
    '"$(id)"',
    "'; id; '",
    '\n/bin/sh\n',
    '> /dev/sda',
    '~root',
    '*',
    '!!',
  ],
  template: [
    '{{7*7}}',
    '${7*7}',
    '<%= 7*7 %>',
    '#{7*7}',
    '{{.Env}}',
    '%{env}',
    '$PATH',
    '${PATH}',
    '{% raw %}',
    '[[x]]',
  ],
  path: [
    '../../../../etc/passwd',
    '..\\..\\windows',
    '/etc/passwd',
    'file:///etc/passwd',
    '%2e%2e%2f',
    './././',
    'C:\\x',
  ],
  header: ['a\r\nX-Injected: 1', 'a\nSet-Cookie: a=b', 'a\r\n\r\n<html>', '\r', '\t', 'a\u2028b'],
  page: [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    'javascript:alert(1)',
    '</title>',
    '&lt;',
    '<!--',
  ],
  log: ['${jndi:ldap://127.0.0.1/a}', '%n%n%n%s%s%x', '%d', '{0}', '\u001b[2J\u001b[31m', '{"level":60}', '\b\b\b'],
  docker: ['--privileged', '-v /:/host', '--entrypoint=sh', 'berth.role=replica', 'a=b=c', '=', '-', '--', '@sha256:0'],
  object: ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype', 'null', 'undefined', 'NaN', 'true'],
  unicode: [
    'a\ud800b',
    '\udc00',
    'nul\0nul',
    '\u202eabc',
    '\u200b\u200d\ufeff',
    'é',
    'e\u0301',
    'ﬀ',
    '𝕏😀👩‍👩‍👧',
    'İıſK',
    '\ufffd',
    '\uffff',
    'ａｄｍｉｎ',
    '\u0085\u00a0\u3000',
    'Z\u0351\u0357\u0360\u0361algo',
  ],
  number: ['-1', '0x10', '1e309', '9007199254740993', '٣', '０', '1_000', ' 1', '1 '],
  time: ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59+23:59', '2026-02-30T00:00:00Z', '2026-01-01T24:00:00Z', 'now()'],
}

export const STRINGS: readonly string[] = Object.values(ATTACKS).flat()

/** Values of the wrong size or type. Long ones are made once: they are sent thousands of times. */
export const ODD_VALUES: readonly unknown[] = [
  ...['', ' ', 'x'.repeat(101), 'x'.repeat(5_000), '😀'.repeat(20_000), 'x'.repeat(300_000)],
  ...[0, -0, -1, 0.1, 1e308, -1e308, 2 ** 31, -(2 ** 31), 2 ** 53, 2 ** 63, 2 ** 64, 5e-324],
  ...[null, true, false, [], {}, [[]], [null], { '': '' }, { length: 1 }, { toString: 1 }, { $ne: null }],
  ...[
    JSON.parse('{"__proto__":{"isAdmin":true}}'),
    JSON.parse('{"constructor":{"prototype":{}}}'),
    JSON.parse('{"then":1}'),
  ],
  ...[Array(2_000).fill(0), Array(2_000).fill({}), Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [i, i]))],
]

/** Deeper than anybody's stack, and as text, because writing it needs one as well. */
export const DEEP_TEXTS: readonly string[] = ['['.repeat(100_000), `${'['.repeat(50_000)}${']'.repeat(50_000)}`].concat(
  `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`,
)
