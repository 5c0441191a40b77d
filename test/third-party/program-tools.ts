import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { FOLDER } from './door-clients.ts'

// Programs with a page in docs/recipes/programs, in the versions that we test with.

export const PROGRAMS_FOLDER = join(FOLDER, '..', 'programs')

export const DJANGO_FOLDER = join(PROGRAMS_FOLDER, 'python')
export const DJANGO_PYPI = ['django==5.2.19', 'django-otp-twilio==1.0.5'] as const
/** Without what its other backends need. */
export const RAPIDSMS_PYPI = 'rapidsms==2.2.0'
export const hasDjango = () =>
  ['otp_twilio', 'rapidsms'].every((name) => existsSync(join(DJANGO_FOLDER, name)))

/** PocketBase's client for Python. */
export const SDK_FOLDER = join(PROGRAMS_FOLDER, 'python-sdk')
export const SDK_PYPI = ['pocketbase==0.17.3'] as const
export const hasPythonSdk = () => existsSync(join(SDK_FOLDER, 'pocketbase'))

export const NODE_RED_FOLDER = join(PROGRAMS_FOLDER, 'node-red')
export const NODE_RED_NPM = { 'node-red': '4.1.2' } as const
export const NODE_RED = join(NODE_RED_FOLDER, 'node_modules', 'node-red', 'red.js')
export const hasNodeRed = () => existsSync(NODE_RED)

/** The version that Beszel 0.18.8 has. */
export const SHOUTRRR_GO = 'github.com/nicholas-fedor/shoutrrr/shoutrrr@v0.17.0'
export const SHOUTRRR = join(PROGRAMS_FOLDER, 'go', 'shoutrrr')
export const hasShoutrrr = () => existsSync(SHOUTRRR)
