import { z } from 'zod'
import { fieldsOf, flag, text } from '../../calls/field.ts'
import { resource } from '../../calls/resource.ts'

interface Branch {
  name: string
  commit: string
}

const branch = fieldsOf<Branch>()

const gitBranch = resource({
  name: 'GitBranch',
  id: 'GitBranch',
  description: 'A branch of a git repository.',
  examples: { name: 'main', commit: '8f1c2d3a90bb4e7f6a5b4c3d2e1f00112233aabb' },
  fields: {
    name: branch.given('name', text, 'Name of the branch.'),
    commit: branch.given('commit', text, 'Id of the newest commit of the branch.'),
  },
})

export interface Branches {
  url: string
  defaultBranch: string | null
  branches: Branch[]
  isComplete: boolean
}

const branches = fieldsOf<Branches>()

export const gitBranches = resource({
  name: 'GitBranches',
  id: 'GitBranches',
  description: 'The branches of a git repository, as its host names them now.',
  examples: { url: 'https://github.com/acme/shop.git', defaultBranch: 'main', isComplete: true },
  fields: {
    url: branches.given('url', text, 'URL that the repository is cloned from.'),
    defaultBranch: branches.given(
      'defaultBranch',
      text.nullable(),
      'Branch that is built where none is named; null for a repository without commits.',
    ),
    branches: branches.given('branches', z.array(gitBranch.answer.type), 'Branches of the repository, by name.'),
    isComplete: branches.given(
      'isComplete',
      flag,
      'Whether these are all branches with that text in their name; false when there are more.',
    ),
  },
})

export interface RepositoryRecord {
  gitInstallationId: string
  gitNamespace: string
  gitRepo: string
  url: string
  defaultBranch: string | null
  isPrivate: boolean
}

const repository = fieldsOf<RepositoryRecord>()

const gitRepository = resource({
  name: 'GitRepository',
  id: 'GitRepository',
  description: 'A repository that an installation of the GitHub App may read.',
  examples: {
    gitInstallationId: '77',
    gitNamespace: 'acme',
    gitRepo: 'shop',
    url: 'https://github.com/acme/shop.git',
    defaultBranch: 'main',
    isPrivate: true,
  },
  fields: {
    gitInstallationId: repository.given('gitInstallationId', text, 'Id of the installation of the GitHub App.', {
      inGraphQL: { type: 'String' },
    }),
    gitNamespace: repository.given('gitNamespace', text, 'Owner of the repository, as `createApp` takes it.'),
    gitRepo: repository.given('gitRepo', text, 'Name of the repository, as `createApp` takes it.'),
    url: repository.given('url', text, 'URL that the repository is cloned from.'),
    defaultBranch: repository.given(
      'defaultBranch',
      text.nullable(),
      'Default branch of the repository; null for one without commits.',
    ),
    isPrivate: repository.given('isPrivate', flag, 'Whether the repository is private.'),
  },
})

export interface Repositories {
  repositories: RepositoryRecord[]
  isComplete: boolean
}

const repositories = fieldsOf<Repositories>()

export const gitRepositories = resource({
  name: 'GitRepositories',
  id: 'GitRepositories',
  description: 'The repositories that an account’s installations of the GitHub App may read, as GitHub names them now.',
  examples: { isComplete: true },
  fields: {
    repositories: repositories.given(
      'repositories',
      z.array(gitRepository.answer.type),
      'Repositories, by owner and name: at most 1,000.',
    ),
    isComplete: repositories.given(
      'isComplete',
      flag,
      'Whether these are all repositories; false when there are more.',
    ),
  },
})
