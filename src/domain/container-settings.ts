/** What of a container its image and the engine would decide otherwise. Whatever is absent stays as it is. */
export interface ContainerSettings {
  readOnlyRoot?: boolean
  /** Folders in memory, which counts as the container's. */
  tmpfs?: TmpfsFolder[]
  /** `user` or `user:group`, by name or number. */
  user?: string
  hostname?: string
  workingDir?: string
  ulimits?: Ulimit[]
  /** Whether a small process of the engine's is the first one; true when absent. */
  init?: boolean
  sharedMemoryMb?: number
  /** Of those that containers have; `ALL` drops each of them. */
  dropCapabilities?: string[]
  stopSignal?: StopSignal
  stopGraceSeconds?: number
}

export interface TmpfsFolder {
  path: string
  sizeMb?: number
}

export interface Ulimit {
  name: string
  soft: number
  hard: number
}

/** Size of a folder in memory that names none. Enough for sockets, locks and small temporary files. */
export const DEFAULT_TMPFS_MB = 64

/** Of the installation's time, too: operations have to end within their own. */
export const MAX_STOP_GRACE_SECONDS = 600

/** What a program may catch to end by, and SIGKILL for one that need not be asked. SIGRTMIN+3 is systemd’s. */
export const STOP_SIGNALS = [
  'SIGHUP',
  'SIGINT',
  'SIGQUIT',
  'SIGABRT',
  'SIGKILL',
  'SIGUSR1',
  'SIGUSR2',
  'SIGALRM',
  'SIGTERM',
  'SIGWINCH',
  'SIGPWR',
  'SIGRTMIN+3',
] as const

export type StopSignal = (typeof STOP_SIGNALS)[number]

/** No limit. */
export const UNLIMITED = -1

/** Both APIs have numbers up to this one. */
const MAX_LIMIT = 2_147_483_647

/**
 * The limits that an engine sets, with whether one may be unlimited: where it counts bytes or seconds, which the limits
 * of memory, processor and disk bound anyway. `rtprio`, `nice` and `rttime` are missing: with the first two a program
 * takes the processor from those of other accounts, and the last is about nothing without them.
 */
export const ULIMITS: Readonly<Record<string, { mayBeUnlimited: boolean; max: number }>> = {
  core: { mayBeUnlimited: true, max: MAX_LIMIT },
  cpu: { mayBeUnlimited: true, max: MAX_LIMIT },
  data: { mayBeUnlimited: true, max: MAX_LIMIT },
  fsize: { mayBeUnlimited: true, max: MAX_LIMIT },
  locks: { mayBeUnlimited: true, max: MAX_LIMIT },
  memlock: { mayBeUnlimited: true, max: MAX_LIMIT },
  msgqueue: { mayBeUnlimited: false, max: 64 * 1024 * 1024 },
  nofile: { mayBeUnlimited: false, max: 1_048_576 },
  nproc: { mayBeUnlimited: true, max: MAX_LIMIT },
  rss: { mayBeUnlimited: true, max: MAX_LIMIT },
  sigpending: { mayBeUnlimited: false, max: 1_048_576 },
  stack: { mayBeUnlimited: true, max: MAX_LIMIT },
}

/** The capabilities of Linux, without CAP_. Most of them no container has: to drop these is granted anyway. */
export const CAPABILITY_NAMES = [
  'AUDIT_CONTROL',
  'AUDIT_READ',
  'AUDIT_WRITE',
  'BLOCK_SUSPEND',
  'BPF',
  'CHECKPOINT_RESTORE',
  'CHOWN',
  'DAC_OVERRIDE',
  'DAC_READ_SEARCH',
  'FOWNER',
  'FSETID',
  'IPC_LOCK',
  'IPC_OWNER',
  'KILL',
  'LEASE',
  'LINUX_IMMUTABLE',
  'MAC_ADMIN',
  'MAC_OVERRIDE',
  'MKNOD',
  'NET_ADMIN',
  'NET_BIND_SERVICE',
  'NET_BROADCAST',
  'NET_RAW',
  'PERFMON',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYSLOG',
  'SYS_ADMIN',
  'SYS_BOOT',
  'SYS_CHROOT',
  'SYS_MODULE',
  'SYS_NICE',
  'SYS_PACCT',
  'SYS_PTRACE',
  'SYS_RAWIO',
  'SYS_RESOURCE',
  'SYS_TIME',
  'SYS_TTY_CONFIG',
  'WAKE_ALARM',
] as const

export const ALL_CAPABILITIES = 'ALL'
