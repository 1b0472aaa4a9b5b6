// npm run schema    prints what follows from routes and fields: schema.graphql and docs/permissions.md
import { writeSchema } from '../src/api/graphql/print-schema.ts'
import './permissions-table.ts'

await writeSchema()
