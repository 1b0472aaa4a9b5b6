import { z } from 'zod'
import { fieldsOf, text, time } from '../../calls/field.ts'
import { resource } from '../../calls/resource.ts'
import type { AutoDeploy } from '../../storage/database/generated/prisma/client.ts'

const field = fieldsOf<AutoDeploy>()

export const autoDeploy = resource({
  name: 'AutoDeploy',
  id: 'AutoDeploy',
  description: 'Pushes to the branch of an environment build and deploy it.',
  examples: {
    watchPaths: ['src/**', '!**/*.md'],
  },
  fields: {
    appEnvId: field.column('appEnvId', text, 'Id of the environment that pushes deploy.'),
    userId: field.column(
      'userId',
      text,
      'Id of the user with whose rights pushes deploy. When they lose them, pushes are ignored.',
    ),
    watchPaths: field.json(
      'watchPaths',
      z.array(text),
      'Patterns of paths; a push deploys if it changes a matching path. Empty: every push deploys.',
    ),
    createdAt: field.column('createdAt', time, 'Time at which auto-deploy was turned on.'),
    updatedAt: field.column('updatedAt', time, 'Time at which auto-deploy was last set.'),
  },
})
