import { expect, test } from 'vitest'
import { loginFor, registryOfLogin } from '../../src/domain/registry-login.ts'

test.each([
  [undefined, 'docker.io'],
  ['', 'docker.io'],
  ['https://index.docker.io/v1/', 'docker.io'],
  ['registry-1.docker.io', 'docker.io'],
  ['GHCR.io', 'ghcr.io'],
  ['https://registry.example.com:5000/v2/', 'registry.example.com:5000'],
])('a login for %s is one for %s', (server, registry) => expect(registryOfLogin(server)).toBe(registry))

test.each([
  ['registry.example.com/team/app', 'theirs'],
  ['nginx', 'hub'],
  ['docker.io/team/app:1', 'hub'],
  ['evil.example/team/app', null],
  ['registry.example.com:5000/team/app', null],
  ['registry.example.com.evil.example/app', null],
  ['Not An Image', null],
])('%s gets the login %s', (image, login) =>
  expect(loginFor(image, { 'registry.example.com': 'theirs', 'docker.io': 'hub' })).toBe(login),
)
