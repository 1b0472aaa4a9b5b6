import type { Services } from '../../services/services.ts'
import { builder } from '../builder.ts'
import { TerminationReasonEnum } from './enums.ts'

type PodRecord = Awaited<ReturnType<Services['pods']['list']>>[number]

const Termination = builder.objectRef<NonNullable<PodRecord['lastTermination']>>('Termination').implement({
  description: 'How a container ended.',
  fields: (t) => ({
    reason: t.expose('reason', { type: TerminationReasonEnum, description: 'Why.' }),
    exitCode: t.exposeInt('exitCode', { nullable: true, description: 'With which code; null when nobody saw it.' }),
    outOfMemory: t.exposeBoolean('outOfMemory', { description: 'Whether it had used up its memory.' }),
    finishedAt: t.expose('finishedAt', { type: 'DateTime', description: 'When.' }),
  }),
})

const PodResources = builder.objectRef<PodRecord['resources']>('PodResources').implement({
  description: 'What a container was given.',
  fields: (t) => ({
    cpu: t.exposeFloat('cpu', { description: 'In zCPU.' }),
    memory: t.exposeFloat('memory', { description: 'In MB.' }),
  }),
})

const Pod = builder.objectRef<PodRecord>('Pod').implement({
  description: 'A container of an environment, as it was last seen.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name.' }),
    podId: t.exposeID('podId', { description: 'Its id on the engine.' }),
    status: t.exposeString('status', { description: 'CREATED, RUNNING, RESTARTING, PAUSED, EXITED or DEAD.' }),
    containerReady: t.exposeBoolean('containerReady', { description: 'Whether it takes traffic.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', nullable: true, description: 'When it was started last.' }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it ended; null while it runs.',
    }),
    restartCount: t.exposeInt('restartCount', { description: 'How often the engine restarted it.' }),
    lastTermination: t.expose('lastTermination', {
      type: Termination,
      nullable: true,
      description: 'How it ended last; null when it never did.',
    }),
    resources: t.expose('resources', { type: PodResources, description: 'What it was given.' }),
    nodeName: t.exposeString('nodeName', { description: 'Where it runs.' }),
    contentId: t.exposeID('contentId', { description: 'Id of the version that it runs.' }),
  }),
})

builder.queryField('pods', (t) =>
  t.field({
    type: [Pod],
    description: 'The containers of an environment. One of the two arguments is required.',
    args: {
      appEnvId: t.arg.id({ description: 'Id of the environment. Wins when envName is sent too.' }),
      envName: t.arg.string({ description: 'CLI name of the environment.' }),
    },
    resolve: (_root, { appEnvId, envName }, { services, caller }) =>
      services.pods.list(caller, { appEnvId: appEnvId ?? undefined, envName: envName ?? undefined }),
  }),
)
