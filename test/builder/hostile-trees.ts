import { execFileSync } from 'node:child_process'
import type { Files, GitServer } from '../support/git-server.ts'

/** Names that lead a checkout into git's own folder, or out of the tree, on this or another file system. */
export const hostileNames: string[] = ['.git', '.GIT', 'git~1', '.gi\u200ct', '..', '.', 'a/b', '.git ']

/** Commands that do nothing, because what they need does not exist. */
export const harmlessTrees: [name: string, files: Files][] = [
  [
    'filters that are named for every file',
    { '.gitattributes': '* filter=evil diff=evil merge=evil\n', 'file.txt': 'as it was' },
  ],
  [
    'large files that are kept elsewhere',
    {
      '.gitattributes': '*.txt filter=lfs diff=lfs merge=lfs -text\n',
      '.lfsconfig': '[lfs]\n\turl = http://169.254.169.254/\n',
      'file.txt': 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n',
    },
  ],
  [
    'hooks and settings among its files',
    {
      'hooks/post-checkout': '#!/bin/sh\ntouch /tmp/berth-pwned\n',
      '.gitconfig': '[core]\n\tfsmonitor = touch /tmp/berth-pwned\n\thooksPath = hooks\n',
      config: '[core]\n\tsshCommand = touch /tmp/berth-pwned\n',
    },
  ],
  ['names that are no words', { 'a\\..\\b': '6', 'a\nb': '1', '--force': '2', '-rf': '3', ' ': '4', $HOME: '5' }],
]

/** A commit with one entry that git itself would not add; `mode` is that of a file, a link or a folder. */
export function commitEntry(git: GitServer, repository: string, name: string, mode = '100644'): void {
  git.commit(repository, { 'file.txt': 'good' })
  const folder = git.folder(repository)
  const write = (type: string, content: Buffer | string) =>
    execFileSync('git', ['hash-object', '-t', type, '-w', '--stdin', '--literally'], { cwd: folder, input: content })
      .toString()
      .trim()
  const treeOf = (path: string, kind: string, id: string) =>
    write('tree', Buffer.concat([Buffer.from(`${kind} ${path}\0`), Buffer.from(id, 'hex')]))
  const file = write('blob', mode === '120000' ? 'file.txt' : '[core]\n\tfsmonitor = touch /tmp/berth-pwned\n')
  const tree = treeOf(name, mode, mode === '40000' ? treeOf('config', '100644', file) : file)
  const commit = git.git(folder, 'commit-tree', tree, '-m', 'Odd')
  git.git(folder, 'update-ref', 'refs/heads/main', commit)
}
