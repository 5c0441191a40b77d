import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { FOLDER } from './folder.ts'

/** Clients that SMSGate's vendor publishes, in the versions that we test with. */
export const SMSGATE_NPM = { 'android-sms-gateway': '3.0.0' } as const
export const SMSGATE_PYPI = ['android-sms-gateway==4.3.3', 'requests==2.32.5', 'httpx==0.28.1'] as const

/** A project of their own, with the packages of Python in a folder of it. */
export const SMSGATE_FOLDER = join(FOLDER, '..', 'smsgate-clients')
export const PYTHON_FOLDER = join(SMSGATE_FOLDER, 'python')

export const npmClient = () => join(SMSGATE_FOLDER, 'node_modules', 'android-sms-gateway', 'dist', 'index.js')
export const hasNpmClient = () => existsSync(npmClient())
export const hasPythonClient = () =>
  ['android_sms_gateway', 'requests', 'httpx'].every((name) => existsSync(join(PYTHON_FOLDER, name)))
