import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** Libraries of carriers, in the versions that we test with. */
export const CARRIER_NPM = {
  twilio: '6.2.0',
  telnyx: '7.24.0',
  plivo: '4.79.0',
  '@vonage/jwt': '1.14.0',
  '@vonage/messages': '1.24.0',
  messagebird: '4.0.1',
  '@sinch/sdk-core': '1.4.0',
  '@seven.io/client': '5.6.0',
} as const

/** A project of its own. */
export const CARRIER_FOLDER = join(
  import.meta.dirname,
  '..',
  '..',
  'node_modules',
  '.cache',
  'carriers',
)

export const hasCarrierLibraries = () =>
  Object.keys(CARRIER_NPM).every((name) => existsSync(join(CARRIER_FOLDER, 'node_modules', name)))

/** A library of a carrier. */
export const carrierLibrary = (name: string) =>
  createRequire(join(CARRIER_FOLDER, 'package.json'))(name)
