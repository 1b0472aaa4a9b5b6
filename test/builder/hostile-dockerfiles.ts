const lines = (...text: string[]) => ['FROM node', ...text]

/** Dockerfiles that start from, or read, another tenant's data; or that engines could read in two ways. */
export const hostileDockerfiles: [name: string, lines: string[]][] = [
  ['an id', [`FROM ${'a'.repeat(64)}`]],
  ['an id with its kind', [`FROM sha256:${'a'.repeat(64)}`]],
  ['a variable that nothing declares', ['FROM node:$TAG']],
  ['a variable in --from', lines('ARG A', 'COPY --from=$A / /')],
  ['a flag that is quoted in part', lines('COPY --fr"om"=ab12 / /')],
  ['a flag with a backslash', lines('COPY --fr\\om=ab12 / /')],
  ['a flag whose quotation goes on', lines('RUN --mount=type=cache,target="/a b" --mount=type=bind,from=ab12 true')],
  ['another front end', ['# syntax=evil/front-end', 'FROM node']],
  ['another front end below a first line', ['#!/usr/bin/docker', '#syntax = ab12', 'FROM node']],
  ['a FROM behind a space that is none', lines('\u0085FROM ab12')],
  ['a FROM in a text of which not every builder knows', lines('RUN true <<EOF', 'FROM ab12', 'EOF')],
  ['a FROM in a text that is none', lines('RUN echo "<<EOF"', 'FROM ab12', 'EOF')],
  ['a line that ends with two backslashes', lines('RUN echo \\\\', 'FROM ab12')],
  ['an escape that is not on the first line', ['# a', '# escape=`', 'FROM node']],
  ['an unknown instruction', lines('SUDO rm -rf /')],
  ['an address for ADD', lines('ADD http://169.254.169.254/latest /x')],
  ['a quoted address for ADD', lines('ADD h"ttp:"//127.0.0.1 /x')],
  ['a repository for ADD', lines('ADD git@example.com:a/b /x')],
  ['an address in a list for ADD', lines('ADD ["https://127.0.0.1/", "/x"]')],
  ['ONBUILD that reads another image', lines('ONBUILD COPY --from=ab12 / /')],
  ['ONBUILD that fetches an address', lines('ONBUILD ADD http://127.0.0.1/ /x')],
]
