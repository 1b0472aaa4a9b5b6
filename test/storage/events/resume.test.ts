import { expect, test } from 'vitest'
import { createTestDatabase } from '../../support/database.ts'
import { proveResume } from './resume/resume.ts'

test('readers that are cut at random and resume on either of two api processes get every event once, in order', async () => {
  const held = await createTestDatabase()
  try {
    const report = await proveResume({ databaseUrl: held.url, seed: 4711, sessions: 8, events: 150, kills: false })
    expect(report).toMatchObject({ events: 150, problems: [] })
    expect(report.overtaken).toBeGreaterThan(0)
    expect(report.connections).toBeGreaterThan(report.readers)
  } finally {
    await held.drop()
  }
})
