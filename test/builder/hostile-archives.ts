import { gzipSync } from 'node:zlib'
import { tarGz } from '../support/source-archive.ts'
import { zipOf } from '../support/zip-archive.ts'

const MB = 1024 * 1024

type Archive = () => Promise<Buffer> | Buffer

/** Each with the reason for which it is refused, under limits of 5 MB and 200 files. */
export const hostileArchives: [name: string, archive: Archive, reason: string][] = [
  ['a path with ..', () => tarGz([{ name: '../out.txt', content: 'x' }]), 'SOURCE_REFUSED'],
  ['a path with .. further in', () => tarGz([{ name: 'a/../../out.txt', content: 'x' }]), 'SOURCE_REFUSED'],
  ['an absolute path', () => tarGz([{ name: '/tmp/berth-pwned', content: 'x' }]), 'SOURCE_REFUSED'],
  [
    'a link and a file of the same name',
    () =>
      tarGz([
        { name: 'l', type: 'symlink', linkname: '.' },
        { name: 'l', content: 'x' },
      ]),
    'SOURCE_REFUSED',
  ],
  [
    'a link, and another below it',
    () =>
      tarGz([
        { name: 'l', type: 'symlink', linkname: '/tmp' },
        { name: 'l/berth-pwned', type: 'symlink', linkname: 'x' },
      ]),
    'SOURCE_REFUSED',
  ],
  [
    'a link, and a file below it',
    () =>
      tarGz([
        { name: 'l', type: 'symlink', linkname: '/tmp' },
        { name: 'l/berth-pwned', content: 'x' },
      ]),
    'SOURCE_REFUSED',
  ],
  ['a hard link out', () => tarGz([{ name: 'l', type: 'link', linkname: '/etc/passwd' }]), 'SOURCE_REFUSED'],
  [
    'a hard link to a file that is not in it',
    () => tarGz([{ name: 'l', type: 'link', linkname: 'f' }]),
    'SOURCE_REFUSED',
  ],
  [
    'a hard link through a link',
    () =>
      tarGz([
        { name: 'd', type: 'symlink', linkname: '/etc' },
        { name: 'l', type: 'link', linkname: 'd/passwd' },
      ]),
    'SOURCE_REFUSED',
  ],
  [
    'a bomb of hard links',
    () =>
      tarGz([
        { name: 'f', content: 'x'.repeat(MB) },
        ...Array.from({ length: 6 }, (_, at) => ({ name: `l${at}`, type: 'link' as const, linkname: 'f' })),
      ]),
    'SOURCE_TOO_LARGE',
  ],
  ['a link without a target', () => tarGz([{ name: 'l', type: 'symlink', linkname: '' }]), 'SOURCE_REFUSED'],
  ['a bomb', () => tarGz([{ name: 'zeros', content: '\0'.repeat(8 * MB) }]), 'SOURCE_TOO_LARGE'],
  [
    'too many files',
    () => tarGz(Array.from({ length: 201 }, (_, index) => ({ name: `f${index}`, content: '' }))),
    'SOURCE_TOO_LARGE',
  ],
  ['a name that is too long', () => tarGz([{ name: 'a/'.repeat(700), type: 'directory' }]), 'SOURCE_REFUSED'],
  ['no archive at all', () => Buffer.from('#!/bin/sh\ntouch /tmp/berth-pwned\n'), 'SOURCE_REFUSED'],
  ['gzip without tar', () => gzipSync('x'.repeat(2000)), 'SOURCE_REFUSED'],
  [
    'a tar that is cut off',
    async () => (await tarGz([{ name: 'f', content: 'x'.repeat(9999) }])).subarray(0, 60),
    'SOURCE_REFUSED',
  ],
  ['an empty file', () => Buffer.alloc(0), 'SOURCE_REFUSED'],
  ['a zip with ..', () => zipOf([{ name: '../out.txt', content: 'x' }]), 'SOURCE_REFUSED'],
  ['a zip with an absolute path', () => zipOf([{ name: '/tmp/berth-pwned', content: 'x' }]), 'SOURCE_REFUSED'],
  ['a zip bomb', () => zipOf([{ name: 'zeros', content: '\0'.repeat(8 * MB) }]), 'SOURCE_TOO_LARGE'],
  ['a zip whose sizes lie', () => zipOf([{ name: 'f', content: 'x'.repeat(5000), claimedSize: 10 }]), 'SOURCE_REFUSED'],
  ['a zip that is cut off', () => zipOf([{ name: 'f', content: 'x' }]).subarray(0, 40), 'SOURCE_REFUSED'],
]
