import { z } from 'zod'
import { fieldsOf, flag, text, whole } from '../../calls/field.ts'
import { resource } from '../../calls/resource.ts'
import type { ContainerSettings, TmpfsFolder, Ulimit } from '../../domain/container-settings.ts'

const folder = fieldsOf<TmpfsFolder>()

const tmpfs = resource({
  name: 'TmpfsFolder',
  id: 'TmpfsFolder',
  description: 'A folder in memory.',
  fields: {
    path: folder.column('path', text, 'Path of the folder in memory.'),
    sizeMb: folder.given('sizeMb', whole.optional(), 'Size of the folder in MB at most.'),
  },
})

const limited = fieldsOf<Ulimit>()

const ulimit = resource({
  name: 'Ulimit',
  id: 'Ulimit',
  description: 'A limit of the kernel for each process of a container.',
  fields: {
    name: limited.column('name', text, 'Name of the limit.'),
    soft: limited.column('soft', whole, 'Limit that applies; -1: none.'),
    hard: limited.column('hard', whole, 'Limit that no program may exceed; -1: none.'),
  },
})

const set = fieldsOf<ContainerSettings>()

/** As it was set; what was left out is absent. */
export const shownContainerSettings = resource({
  name: 'ContainerSettings',
  id: 'ContainerSettings',
  description: 'How the containers of an environment are made, as it was set.',
  fields: {
    readOnlyRoot: set.given(
      'readOnlyRoot',
      flag.optional(),
      'Whether only volumes and folders in memory can be written.',
    ),
    tmpfs: set.given(
      'tmpfs',
      z.array(tmpfs.answer.type).optional(),
      'Folders in memory, which counts towards the memory limit.',
    ),
    user: set.given('user', text.optional(), 'User that the program runs as.'),
    hostname: set.given('hostname', text.optional(), 'Name that the container knows itself by.'),
    workingDir: set.given('workingDir', text.optional(), 'Working directory of a program whose command names none.'),
    ulimits: set.given('ulimits', z.array(ulimit.answer.type).optional(), 'Limits of the kernel for each process.'),
    init: set.given('init', flag.optional(), 'Whether a small process of the engine is the first one.'),
    sharedMemoryMb: set.given('sharedMemoryMb', whole.optional(), 'Size of /dev/shm in MB.'),
    dropCapabilities: set.given(
      'dropCapabilities',
      z.array(text).optional(),
      'Capabilities that the container does not have.',
    ),
    stopSignal: set.given('stopSignal', text.optional(), 'Signal that asks the program to end.'),
    stopGraceSeconds: set.given('stopGraceSeconds', whole.optional(), 'Seconds between the stop signal and SIGKILL.'),
  },
})
