import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runs } from '../../support/installed.ts'
import { CLONE, holds, IMAGE, podman, removeContainers, STORE, writeSettings } from './podman.ts'

const PROGRAMS = ['podman', 'podman-compose', 'runc', 'catatonit']
const BASES = ['node:24-slim', 'caddy:2', 'postgres:17', 'haproxy:3.0']
const DEBIAN = 'trixie'
/** Node's own: newer than the one that brings this machine. */
const NPM = 'npm@11.21.2'
const CERTIFICATES = 'etc/ssl/certs/ca-certificates.crt'

const build = ['build', '--format', 'docker', '--network', 'host', '--quiet']

/**
 * Builds the Dockerfile as it is, on images of Docker Hub if PULL_IMAGES is set, else on ones made here.
 * KEEP_IMAGE takes that of the run before.
 */
export function setup(): void {
  const missing = PROGRAMS.filter((name) => !runs('which', name))
  if (missing.length > 0) throw new Error(`NOT RUN: ${missing.join(', ')} is missing`)
  writeSettings()
  // a run before this one may have been killed
  removeContainers()
  podman('volume', 'rm', '--all', '--force')
  if (process.env.PULL_IMAGES) for (const name of BASES) podman('pull', `docker.io/library/${name}`)
  else makeBases()
  if (!process.env.KEEP_IMAGE) podman(...build, '--tag', IMAGE, CLONE)
}

/** Makes what is missing of images with Docker Hub's names, of packages of Debian and npm. */
function makeBases(): void {
  if (!holds('image', 'exists', 'localhost/debian:made')) makeDebian()
  const missing = BASES.filter((name) => !holds('image', 'exists', `docker.io/library/${name}`))
  if (missing.length === 0) return
  const context = mkdtempSync(join(tmpdir(), 'pocketsms-bases-'))
  try {
    cpSync(join(import.meta.dirname, 'bases'), context, { recursive: true })
    cpSync(join(CLONE, 'node_modules/node/bin/node'), join(context, 'node'))
    const [file] = execFileSync('npm', ['pack', '--silent', NPM], {
      cwd: context,
      encoding: 'utf8',
    })
      .trim()
      .split('\n')
    renameSync(join(context, file!), join(context, 'npm.tgz'))
    for (const name of missing) {
      const [program] = name.split(':')
      const containerfile = join(context, `${program}.Containerfile`)
      podman(...build, '--file', containerfile, '--tag', `docker.io/library/${name}`, context)
    }
  } finally {
    rmSync(context, { recursive: true, force: true })
  }
}

/** Debian with the certificates of this machine. */
function makeDebian(): void {
  if (!runs('which', 'debootstrap')) throw new Error('NOT RUN: debootstrap is missing')
  const root = join(STORE, 'debian')
  rmSync(root, { recursive: true, force: true })
  mkdirSync(root, { recursive: true })
  const packages = ['--variant=minbase', '--include=ca-certificates']
  execFileSync('debootstrap', [...packages, DEBIAN, root], { stdio: 'pipe' })
  if (existsSync(`/${CERTIFICATES}`))
    cpSync(`/${CERTIFICATES}`, join(root, CERTIFICATES), { dereference: true })
  for (const folder of ['var/lib/apt/lists', 'var/cache/apt/archives'])
    rmSync(join(root, folder), { recursive: true, force: true })
  mkdirSync(join(root, 'var/cache/apt/archives/partial'), { recursive: true })
  mkdirSync(join(root, 'var/lib/apt/lists/partial'), { recursive: true })
  const archive = join(STORE, 'debian.tar')
  execFileSync('tar', ['-C', root, '-cf', archive, '.'])
  podman('import', archive, 'localhost/debian:made')
  rmSync(archive)
  rmSync(root, { recursive: true, force: true })
}
