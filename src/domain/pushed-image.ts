/** Whether a built image is in the repository that builds are pushed to, from which every engine may pull it. */
export const isPushedTo = (repository: string | undefined, image: string): boolean =>
  Boolean(repository) && image.startsWith(`${repository}/`) && image.includes('@')
