/** A repository as the generator of a framework makes it, or as it is written by hand. */
export interface Generated {
  name: string
  /** Run by a shell in an empty folder, where it makes the folder `app`. */
  command: string
  /** Deployed from git; otherwise from an upload. */
  fromGit?: true
  /** What its page has, or the words of a refusal that name the next step. */
  expect: { answers: RegExp } | { refused: RegExp }
}

const npx = (generator: string, args: string) => `npm exec --yes --loglevel=error -- ${generator} ${args}`
const files = (written: Readonly<Record<string, string>>) =>
  Object.entries(written)
    .map(([path, text]) => `mkdir -p "app/$(dirname '${path}')" && printf '%s' ${quoted(text)} > 'app/${path}'`)
    .join(' && ')
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

const SERVER = (words: string) =>
  `require('node:http').createServer((q, r) => r.end('${words}')).listen(process.env.PORT || 3000)`

/** As django-admin writes it. */
const MANAGE = `import os
import sys


def main():
    os.environ.setdefault('DJANGO_SETTINGS_MODULE', 'shop.settings')
    from django.core.management import execute_from_command_line
    execute_from_command_line(sys.argv)


if __name__ == '__main__':
    main()
`

const vite = (template: string): Generated => ({
  name: `vite-${template}`,
  command: npx('create-vite@latest', `app --template ${template} --no-interactive`),
  expect: { answers: /<div id="(?:app|root)">|<script type="module"/ },
})

export const GENERATED: readonly Generated[] = [
  vite('vanilla'),
  vite('vanilla-ts'),
  { ...vite('react'), fromGit: true },
  vite('react-ts'),
  vite('preact-ts'),
  vite('vue'),
  { ...vite('vue-ts'), fromGit: true },
  vite('svelte'),
  vite('svelte-ts'),
  vite('lit-ts'),
  vite('solid-ts'),
  {
    name: 'create-vue',
    command: npx('create-vue@latest', 'app --default'),
    fromGit: true,
    expect: { answers: /<div id="app">/ },
  },
  {
    name: 'next-app-router',
    command: npx(
      'create-next-app@latest',
      'app --empty --ts --app --no-eslint --no-tailwind --no-src-dir --use-npm --skip-install --disable-git --yes',
    ),
    fromGit: true,
    expect: { answers: /__next|_next\/static/ },
  },
  {
    name: 'next-pages',
    command: npx(
      'create-next-app@latest',
      'app --empty --js --no-app --no-eslint --no-tailwind --no-src-dir --use-npm --skip-install --disable-git --yes',
    ),
    expect: { answers: /__next|_next\/static/ },
  },
  {
    name: 'nest',
    command: npx('@nestjs/cli@latest', 'new app --skip-install --skip-git -p npm'),
    fromGit: true,
    expect: { answers: /Hello World!/ },
  },
  {
    name: 'angular',
    command: npx('@angular/cli@latest', 'new app --skip-install --skip-git --defaults --ssr=false'),
    expect: { answers: /<app-root>/ },
  },
  {
    name: 'sveltekit',
    command: npx('sv@latest', 'create app --template minimal --types ts --no-add-ons --no-install'),
    // What it makes chooses a platform when it is built, and knows none of its own server.
    expect: { refused: /@sveltejs\/adapter-node/ },
  },
  {
    name: 'express-generator',
    command: npx('express-generator@latest', '--no-view app'),
    expect: { answers: /Express/ },
  },
  {
    name: 'fastify',
    command: npx('fastify-cli@latest', 'generate app'),
    expect: { answers: /root/ },
  },
  {
    name: 'hono',
    command: files({
      'package.json': JSON.stringify({
        name: 'hono-app',
        type: 'module',
        scripts: { start: 'node index.js' },
        dependencies: { hono: '^4', '@hono/node-server': '^1' },
      }),
      'index.js': `import { serve } from '@hono/node-server'\nimport { Hono } from 'hono'\nconst app = new Hono()\napp.get('/', (c) => c.text('hello from hono'))\nserve({ fetch: app.fetch, port: Number(process.env.PORT) })\n`,
    }),
    expect: { answers: /hello from hono/ },
  },
  {
    name: 'koa',
    command: files({
      'package.json': JSON.stringify({ name: 'koa-app', main: 'server.js', dependencies: { koa: '^3' } }),
      'server.js': `const Koa = require('koa')\nnew Koa().use((c) => { c.body = 'hello from koa' }).listen(process.env.PORT)\n`,
    }),
    fromGit: true,
    expect: { answers: /hello from koa/ },
  },
  {
    name: 'plain-node',
    command: files({ 'package.json': '{"name":"plain","main":"index.js"}', 'index.js': SERVER('hello from node') }),
    expect: { answers: /hello from node/ },
  },
  {
    name: 'yarn',
    command: `${files({
      'package.json': JSON.stringify({ name: 'with-yarn', main: 'index.js', dependencies: { ms: '2.1.3' } }),
      'index.js': `const ms = require('ms')\n${SERVER('hello from yarn')}`,
    })} && cd app && npm exec --yes --loglevel=error -- yarn@1 install --silent --mode=update-lockfile && rm -rf node_modules`,
    expect: { answers: /hello from yarn/ },
  },
  {
    name: 'pnpm-workspace',
    command: `${files({
      'package.json': '{"name":"root","private":true,"scripts":{"start":"pnpm --filter web start"}}',
      'pnpm-workspace.yaml': 'packages:\n  - "packages/*"\n',
      'packages/words/package.json': '{"name":"words","version":"1.0.0","main":"index.js"}',
      'packages/words/index.js': `module.exports = 'hello from a workspace'\n`,
      'packages/web/package.json':
        '{"name":"web","version":"1.0.0","scripts":{"start":"node index.js"},"dependencies":{"words":"workspace:*"}}',
      'packages/web/index.js': `const words = require('words')\nrequire('node:http').createServer((q, r) => r.end(words)).listen(process.env.PORT)\n`,
    })} && cd app && npm exec --yes --loglevel=error -- pnpm@10 install --lockfile-only --silent`,
    fromGit: true,
    expect: { answers: /hello from a workspace/ },
  },
  {
    name: 'python-script',
    command: files({
      'requirements.txt': '',
      'main.py': `import os\nfrom http.server import BaseHTTPRequestHandler, HTTPServer\n\n\nclass Handler(BaseHTTPRequestHandler):\n    def do_GET(self):\n        self.send_response(200)\n        self.end_headers()\n        self.wfile.write(b'hello from python')\n\n\nHTTPServer(('0.0.0.0', int(os.environ['PORT'])), Handler).serve_forever()\n`,
    }),
    expect: { answers: /hello from python/ },
  },
  {
    name: 'static',
    command: files({ 'index.html': '<!doctype html><title>Shop</title><h1>hello from a page</h1>' }),
    fromGit: true,
    expect: { answers: /hello from a page/ },
  },
  {
    name: 'php',
    command: files({ 'composer.json': '{"name":"ada/shop"}', 'index.php': '<?php echo 1;' }),
    expect: { refused: /Dockerfile/ },
  },
  {
    name: 'ruby',
    command: files({ Gemfile: "source 'https://rubygems.org'\ngem 'sinatra'\n", 'app.rb': "require 'sinatra'\n" }),
    expect: { refused: /Dockerfile/ },
  },
  {
    name: 'lfs-pointer',
    command: files({
      'index.html': '<h1>shop</h1>',
      'photo.jpg':
        'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n',
    }),
    fromGit: true,
    expect: { refused: /photo\.jpg/ },
  },
  {
    name: 'django-without-server',
    command: files({
      'requirements.txt': 'django==5.2\n',
      'manage.py': MANAGE,
      'shop/settings.py': '',
      'shop/wsgi.py': 'application = None\n',
    }),
    expect: { refused: /gunicorn|uvicorn/ },
  },
]
