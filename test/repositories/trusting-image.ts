import { existsSync } from 'node:fs'
import { Readable } from 'node:stream'
import type Docker from 'dockerode'
import { pack } from 'tar-stream'
import { addFile } from '../../scripts/image-root.ts'

/** Where Debian keeps the certificates that a machine trusts. */
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt'
const DOCKERFILE = (image: string) => `FROM ${image}
COPY certificates.crt ${CERTIFICATES}
ENV NODE_EXTRA_CA_CERTS=${CERTIFICATES} SSL_CERT_FILE=${CERTIFICATES} PIP_CERT=${CERTIFICATES}
`

/** The image with the certificates that this machine trusts: its way to package registries may lead through a proxy. */
export async function trustingImage(docker: Docker, image: string): Promise<string> {
  if (!existsSync(CERTIFICATES)) return image
  const name = image.replace(':', '-trusting:')
  const archive = pack()
  const fill = async () => {
    archive.entry({ name: 'Dockerfile' }, DOCKERFILE(image))
    await addFile(archive, 'certificates.crt', CERTIFICATES)
    archive.finalize()
  }
  const [progress] = await Promise.all([docker.buildImage(Readable.from(archive), { t: name }), fill()])
  await new Promise<void>((resolve, reject) =>
    docker.modem.followProgress(progress, (error) => (error ? reject(error) : resolve())),
  )
  return name
}
