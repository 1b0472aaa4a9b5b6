import { z } from 'zod'

/** Where container engines are, and how their containers are reached. */
export const ENGINE_SETTINGS = {
  DOCKER_HOST: z
    .string()
    .regex(/^(unix|tcp|http|https):\/\//, 'must start with unix://, tcp://, http:// or https://')
    .optional()
    .describe('Address of the container engine. Default: the local socket.'),
  BERTH_ENGINE_KEYS: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Folder with a folder for each region that has a container engine of its own: ca.pem, cert.pem and key.pem for tcp://, ssh_key and known_hosts for ssh://. Default: engine-keys in the data directory.',
    ),
  BERTH_REACH: z
    .enum(['address', 'published'])
    .default(process.platform === 'linux' ? 'address' : 'published')
    .describe(
      'How Berth connects to containers. address: by IP, for an engine on this Linux machine. published: by a port published on loopback, for an engine in a virtual machine.',
    ),
}
