import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runs } from '../support/installed.ts'

// Twilio's own libraries, and SignalWire's for the same API, in the versions that we test with: npm's, PyPI's
// and Maven's.

const NODE_VERSION = '6.2.0'
const SIGNALWIRE_VERSION = '3.2.0'
const PYTHON_VERSION = '9.13.0'
/** An artifact of Maven's. */
export const TWILIO_MAVEN = { groupId: 'com.twilio.sdk', artifactId: 'twilio', version: '13.0.1' }
const CACHE = join(import.meta.dirname, '..', '..', 'node_modules', '.cache')
const NODE_FOLDER = join(CACHE, 'twilio-node')
const SIGNALWIRE_FOLDER = join(CACHE, 'signalwire-node')
const PYTHON_FOLDER = join(CACHE, 'twilio-python')

export const TWILIO_JAVA_FOLDER = join(CACHE, 'twilio-java')
/** The class path of Java's library. */
export const JAVA_JARS = join(TWILIO_JAVA_FOLDER, 'jars', '*')

/** The folder of the npm package. */
export const NODE_PACKAGE = join(NODE_FOLDER, 'node_modules', 'twilio')
const SIGNALWIRE = '@signalwire/compatibility-api'
export const SIGNALWIRE_PACKAGE = join(SIGNALWIRE_FOLDER, 'node_modules', SIGNALWIRE)
/** A Python that has the package. */
export const PYTHON = join(PYTHON_FOLDER, 'bin', 'python')

export const hasNode = () => existsSync(NODE_PACKAGE)
export const hasSignalWire = () => existsSync(SIGNALWIRE_PACKAGE)
export const hasPython = () => existsSync(PYTHON) && runs(PYTHON, '-c', 'import twilio')

export const hasJava = () =>
  existsSync(join(TWILIO_JAVA_FOLDER, 'jars')) && runs('java', '-version')

function installNode(folder: string, dependencies: Readonly<Record<string, string>>): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }))
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: 'inherit',
  })
}

/** Installs those of Node, and of Python where it is. */
export function installTwilio(): void {
  if (!hasNode()) installNode(NODE_FOLDER, { twilio: NODE_VERSION })
  if (!hasSignalWire()) installNode(SIGNALWIRE_FOLDER, { [SIGNALWIRE]: SIGNALWIRE_VERSION })
  if (hasPython() || !runs('python3', '-c', 'import venv')) return
  execFileSync('python3', ['-m', 'venv', PYTHON_FOLDER], { stdio: 'inherit' })
  const pip = join(PYTHON_FOLDER, 'bin', 'pip')
  execFileSync(pip, ['install', '--quiet', `twilio==${PYTHON_VERSION}`], { stdio: 'inherit' })
}
