import type { Database } from '../../storage/database/client.ts'
import type { Rotation } from './rotation.ts'

const PAGE = 500

interface Answer {
  callerId: string
  route: string
  key: string
  response: string
}

/** The kept answers of idempotency keys: a repeat after the rotation is answered as before it. */
export async function resealAnswers(database: Database, { from, old, next }: Rotation): Promise<void> {
  for (;;) {
    const answers = await database.$queryRaw<Answer[]>`
      SELECT caller_id AS "callerId", route, key, response FROM idempotency_record
      WHERE response LIKE ${`v1.${from.id}.%`} LIMIT ${PAGE}`
    if (answers.length === 0) return
    const rows = answers.map(({ callerId, route, key, response }) => {
      const call = `${callerId}/${route}/${key}`
      return { callerId, route, key, before: response, response: next.sealAnswer(call, old.openAnswer(call, response)) }
    })
    await database.$executeRaw`
      UPDATE idempotency_record AS r SET response = n.response
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        AS n("callerId" text, route text, key text, before text, response text)
      WHERE r.caller_id = n."callerId" AND r.route = n.route AND r.key = n.key AND r.response = n.before`
  }
}
