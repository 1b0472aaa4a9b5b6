import { expect, test } from 'vitest'
import { publicUrl } from '../../src/domain/public-url.ts'

test.each([
  [{ INGRESS_PORT: 8080 }, 'http://shop.test:8080'],
  [{ INGRESS_PORT: 80 }, 'http://shop.test'],
  [{ INGRESS_PORT: 8080, BERTH_INGRESS_URL: 'http://localhost' }, 'http://shop.test'],
  [{ INGRESS_PORT: 8080, BERTH_INGRESS_URL: 'https://apps.example.com' }, 'https://shop.test'],
  [{ INGRESS_PORT: 8080, BERTH_INGRESS_URL: 'https://apps.example.com:8443/' }, 'https://shop.test:8443'],
])('with %j a host is reached at %s', (settings, url) => {
  expect(publicUrl(settings, 'shop.test')).toBe(url)
})
