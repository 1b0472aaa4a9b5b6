import { createHash } from 'node:crypto'
import { eventually } from '../../worker/fixtures.ts'
import { expectAnswer, type Story, type Visit } from './story.ts'

const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }

async function answersSoon(visit: Visit, component: string, path: string, contains: string): Promise<void> {
  await eventually(
    () => visit(component, path),
    ({ status, body }) => status === 200 && body.includes(contains),
  )
}

const FLOW = [
  { id: 'tab', type: 'tab', label: 'Greetings' },
  { id: 'in', type: 'http in', z: 'tab', url: '/greet', method: 'get', wires: [['fn']] },
  {
    id: 'fn',
    type: 'function',
    z: 'tab',
    func: "msg.payload = 'Hello from a flow'; return msg",
    outputs: 1,
    wires: [['out']],
  },
  { id: 'out', type: 'http response', z: 'tab', wires: [] },
]

const nodeRed: Story = {
  slug: 'node-red',
  programs: ['node-red'],
  engines: [],
  inputs: { timeZone: 'Europe/Vienna' },
  async act(visit) {
    const headers = { ...json, 'node-red-deployment-type': 'full' }
    expectAnswer(await visit('app', '/flows', { method: 'POST', headers, body: JSON.stringify(FLOW) }), 204)
    await nodeRed.verify(visit)
  },
  /** Flows begin a little after the editor answers. */
  verify: (visit) => answersSoon(visit, 'app', '/greet', 'Hello from a flow'),
}

const PACKAGE = 'berth-sample'
const CONTENT = Buffer.from('a package')

const verdaccio: Story = {
  slug: 'verdaccio',
  programs: ['verdaccio'],
  engines: [],
  inputs: {},
  /** What `npm publish` sends. */
  async act(visit) {
    const user = { name: 'ada', password: 'a long password', type: 'user', roles: [], date: new Date(0).toISOString() }
    const added = await visit('app', '/-/user/org.couchdb.user:ada', {
      method: 'PUT',
      headers: json,
      body: JSON.stringify(user),
    })
    expectAnswer(added, 201, 'token')
    const { token } = JSON.parse(added.body) as { token: string }
    const file = `${PACKAGE}-1.0.0.tgz`
    const version = {
      name: PACKAGE,
      version: '1.0.0',
      dist: {
        tarball: `http://registry/${PACKAGE}/-/${file}`,
        shasum: createHash('sha1').update(CONTENT).digest('hex'),
      },
    }
    const published = {
      _id: PACKAGE,
      name: PACKAGE,
      'dist-tags': { latest: '1.0.0' },
      versions: { '1.0.0': version },
      _attachments: {
        [file]: { content_type: 'application/octet-stream', data: CONTENT.toString('base64'), length: CONTENT.length },
      },
    }
    const headers = { ...json, authorization: `Bearer ${token}` }
    expectAnswer(await visit('app', `/${PACKAGE}`, { method: 'PUT', headers, body: JSON.stringify(published) }), 201)
    await verdaccio.verify(visit)
  },
  async verify(visit) {
    expectAnswer(await visit('app', `/${PACKAGE}`), 200, '"1.0.0"')
    expectAnswer(await visit('app', `/${PACKAGE}/-/${PACKAGE}-1.0.0.tgz`), 200, 'a package')
  },
}

const PASSWORD = 'correct horse battery staple'

const postOf = (title: string) => `<?xml version="1.0"?><methodCall><methodName>metaWeblog.newPost</methodName><params>
<param><value><string>1</string></value></param><param><value><string>ada</string></value></param>
<param><value><string>${PASSWORD}</string></value></param><param><value><struct>
<member><name>title</name><value><string>${title}</string></value></member>
<member><name>description</name><value><string>Published through the ingress.</string></value></member>
</struct></value></param><param><value><boolean>1</boolean></value></param></params></methodCall>`

const wordpress: Story = {
  slug: 'wordpress',
  programs: ['wordpress'],
  engines: ['MYSQL'],
  inputs: {},
  async act(visit) {
    const fields = new URLSearchParams({
      weblog_title: 'Newsroom',
      user_name: 'ada',
      admin_password: PASSWORD,
      admin_password2: PASSWORD,
      pw_weak: 'on',
      admin_email: 'ada@example.com',
      blog_public: '0',
      Submit: 'Install WordPress',
      language: '',
    })
    const installing = { method: 'POST', headers: form, body: String(fields) }
    expectAnswer(await visit('app', '/wp-admin/install.php?step=2', installing), 200, 'Success')
    const publishing = { method: 'POST', headers: { 'content-type': 'text/xml' }, body: postOf('Installed by Berth') }
    expectAnswer(await visit('app', '/xmlrpc.php', publishing), 200, '<string>')
    await wordpress.verify(visit)
  },
  verify: async (visit) => expectAnswer(await visit('app', '/?feed=rss2'), 200, 'Installed by Berth'),
}

const queue: Story = {
  slug: 'rabbitmq-queue',
  programs: ['perf-test'],
  engines: ['RABBITMQ'],
  inputs: { rate: 5 },
  act: (visit) => queue.verify(visit),
  /** The worker has got what the producer has sent, since both were started. */
  async verify(visit) {
    const countOf = async (component: string, name: string) =>
      Number(
        new RegExp(`^perftest_${name}_total (\\d+)`, 'm').exec((await visit(component, '/metrics')).body)?.[1] ?? 0,
      )
    await eventually(
      async () => [await countOf('producer', 'published'), await countOf('worker', 'consumed')],
      (counts) => counts.every((count) => count > 0),
    )
  },
}

const LOGIN = { email: 'ada@example.com', password: PASSWORD }

async function logInTo(visit: Visit): Promise<Record<string, string>> {
  const answer = await visit('app', '/auth/login', { method: 'POST', headers: json, body: JSON.stringify(LOGIN) })
  expectAnswer(answer, 200, 'access_token')
  return { ...json, authorization: `Bearer ${JSON.parse(answer.body).data.access_token}` }
}

const NOTES = {
  collection: 'notes',
  schema: {},
  meta: {},
  fields: [
    { field: 'id', type: 'integer', schema: { is_primary_key: true, has_auto_increment: true } },
    { field: 'text', type: 'string' },
  ],
}

const directus: Story = {
  slug: 'directus',
  programs: ['directus'],
  engines: ['POSTGRESQL', 'REDIS'],
  inputs: { adminEmail: LOGIN.email, adminPassword: PASSWORD },
  async act(visit) {
    const headers = await logInTo(visit)
    const posting = (path: string, body: object) =>
      visit('app', path, { method: 'POST', headers, body: JSON.stringify(body) })
    expectAnswer(await posting('/collections', NOTES), 200)
    expectAnswer(await posting('/items/notes', { text: 'Written through the ingress' }), 200)
    await directus.verify(visit)
  },
  async verify(visit) {
    const headers = await logInTo(visit)
    expectAnswer(await visit('app', '/items/notes', { headers }), 200, 'Written through the ingress')
  },
}

const AUTHOR = { name: 'Ada', email: 'ada@example.com', password: PASSWORD, blogTitle: 'Newsroom' }
const plain = { version: 1, direction: 'ltr', format: '', indent: 0 }
const words = { type: 'text', version: 1, text: 'Published through the ingress.', format: 0, detail: 0, mode: 'normal' }
/** What its editor keeps of a post. */
const document = { root: { ...plain, type: 'root', children: [{ ...plain, type: 'paragraph', children: [words] }] } }
const POST = { title: 'Installed by Berth', lexical: JSON.stringify(document), status: 'published' }

const ghost: Story = {
  slug: 'ghost',
  programs: ['ghost'],
  engines: ['MYSQL'],
  inputs: {},
  /** What its editor sends. */
  async act(visit) {
    const admin = '/ghost/api/admin'
    const posting = (path: string, body: object, headers: Record<string, string> = {}) =>
      visit('app', `${admin}/${path}`, { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) })
    // Its migrations go on after its first answer.
    await eventually(
      () => posting('authentication/setup/', { setup: [AUTHOR] }),
      ({ status }) => status === 201,
    )
    const origin = { origin: 'http://newsroom.localhost' }
    const login = await posting('session/', { username: AUTHOR.email, password: PASSWORD }, origin)
    expectAnswer(login, 201)
    const cookie = (login.headers['set-cookie'] ?? []).map((one) => one.split(';')[0]).join('; ')
    expectAnswer(await posting('posts/', { posts: [POST] }, { ...origin, cookie }), 201, POST.title)
    await ghost.verify(visit)
  },
  verify: (visit) => answersSoon(visit, 'app', '/installed-by-berth/', 'Published through the ingress'),
}

export const STORIES: readonly Story[] = [nodeRed, verdaccio, queue, wordpress, directus, ghost]
