import { describe, expect, test } from 'vitest'
import { stemOf, ToolSearch } from '../../../src/api/mcp/tool-search.ts'
import { setNameOf } from '../../../src/api/mcp/tool-sets.ts'
import { describeTool, tools } from '../../../src/api/mcp/tools.ts'

const search = new ToolSearch(
  [...tools.values()].map((tool) => ({ ...describeTool(tool), set: setNameOf(tool.route.group) })),
)
const find = (query: string) => search.find(query, () => true)

/** What people ask for, in words that the calls do not always use, and the tool that does it. */
const QUESTIONS = [
  ['deploy a docker image', 'deploy-image'],
  ['publish my image', 'deploy-image'],
  ['why did the deployment fail', 'get-operation'],
  ['see what went wrong', 'get-operation'],
  ['roll back to the previous version', 'rollback-app-env'],
  ['undo the last deployment', 'rollback-app-env'],
  ['add a custom domain', 'add-host'],
  ['use my own hostname', 'add-host'],
  ['check the DNS of my domain', 'validate-host'],
  ['schedule a job', 'set-job-schedule'],
  ['cron', 'set-job-schedule'],
  ['run a job now', 'create-job-run'],
  ['back up a database', 'back-up-app-env'],
  ['take a dump of postgres', 'back-up-app-env'],
  ['restore a backup', 'restore-backup'],
  ['invite a teammate', 'create-invitation'],
  ['remove a person from the account', 'remove-member'],
  ['rotate a token', 'rotate-token'],
  ['new api key', 'create-token'],
  ['set environment variables', 'change-variables'],
  ['read usage', 'get-usage'],
  ['what does it cost this month', 'get-usage'],
  ['limit what we spend', 'set-budget'],
  ['restart the containers', 'redeploy-app-env'],
  ['scale to 3 replicas', 'change-scaling'],
  ['more memory', 'change-resources'],
  ['show the output of my app', 'get-logs'],
  ['stop the environment', 'stop-app-env'],
  ['delete an app', 'delete-app'],
  ['who changed what', 'list-audit'],
  ['send events to slack', 'create-webhook'],
  ['deploy when I push to github', 'set-auto-deploy'],
  ['preview environments for pull requests', 'set-pull-request-envs'],
  ['docker compose', 'install-compose'],
  ['list members', 'list-members'],
  ['registry login', 'create-credential'],
  ['clear the build cache', 'clear-build-cache'],
  ['change the git branch', 'change-branch'],
  ['password of the database', 'get-service-credentials'],
  ['which regions are there', 'list-regions'],
] as const

test.each(QUESTIONS)('%s: %s is among the first three', (query, name) => {
  expect(find(query).slice(0, 3)).toContain(name)
})

test.each([...tools.keys()])('the words of its name and description lead to %s', (name) => {
  expect(find(name.replaceAll('-', ' ').replaceAll('app env', 'environment')).slice(0, 3)).toContain(name)
})

describe('a search', () => {
  test('finds the same in the same order every time, in any case and with any marks', () => {
    expect(find('Schedule a JOB!')).toEqual(find('schedule a job'))
  })

  test('finds nothing in words that say nothing, and in other writing', () => {
    for (const query of ['', '   ', 'how do I', '?!', '部署', '\u0000', '__proto__', 'constructor'])
      expect(find(query), query).toEqual([])
  })

  test('shows only what is offered', () => {
    expect(search.find('delete an app', (name) => name.startsWith('list'))).not.toContain('delete-app')
  })

  test('puts what destroys behind what fits as well', () => {
    const found = find('job schedule')
    expect(found.indexOf('delete-job-schedule')).toBeGreaterThan(found.indexOf('get-job-schedule'))
  })
})

test.each([
  ['deployments', 'deploy'],
  ['deploying', 'deploy'],
  ['deployed', 'deploy'],
  ['rotating', 'rotat'],
  ['rotates', 'rotat'],
  ['databases', 'databas'],
  ['status', 'statu'],
  ['logs', 'log'],
  ['access', 'acces'],
  ['policies', 'policy'],
])('the stem of %s is %s', (word, stem) => {
  expect(stemOf(word)).toBe(stem)
})
