import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { hasRuntimes, RUNTIMES_FOLDER, RUNTIMES_NPM } from '../clients/runtimes.ts'
import { OLDEST_NODE, OLDEST_NODE_BIN, OLDEST_NODE_FOLDER } from '../package/oldest-node.ts'
import { runs } from '../support/installed.ts'
import { CARRIER_FOLDER, CARRIER_NPM, hasCarrierLibraries } from './carrier-libraries.ts'
import {
  AUTH_FOLDER,
  AUTH_NPM,
  areInstalled,
  DOORS_FOLDER,
  DOORS_NPM,
  DOORS_PYPI,
  DOORS_PYTHON,
  FOLDER,
  hasApprise,
  hasAuthServers,
  hasNovu,
  hasNpmClient,
  hasPythonClient,
  hasVendel,
  NOVU,
  PYTHON_FOLDER,
  SMPP_FOLDER,
  SMPP_JAVA_FOLDER,
  SMPP_MAVEN,
  SMPP_PYPI,
  SMSGATE_FOLDER,
  SMSGATE_NPM,
  SMSGATE_PYPI,
  TOOLS,
  VENDEL_NPM,
  VENDEL_NPM_FOLDER,
  VENDEL_PYPI,
} from './door-clients.ts'
import {
  hasDocuments,
  hasPrism,
  OPENAPI_NPM,
  PRISM_FOLDER,
  PRISM_NPM,
} from './openapi-documents.ts'
import {
  DJANGO_FOLDER,
  DJANGO_PYPI,
  hasDjango,
  hasNodeRed,
  hasPythonSdk,
  hasShoutrrr,
  NODE_RED_FOLDER,
  NODE_RED_NPM,
  RAPIDSMS_PYPI,
  SDK_FOLDER,
  SDK_PYPI,
  SHOUTRRR,
  SHOUTRRR_GO,
} from './program-tools.ts'
import { installTwilio, TWILIO_JAVA_FOLDER, TWILIO_MAVEN } from './twilio-libraries.ts'

// Installs what test/third-party needs. Without scripts: one of the tools would compile SQLite for a minute,
// to read database files, which is not what we ask of it.

function installNpm(folder: string, dependencies: Readonly<Record<string, string>>): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }))
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: 'inherit',
  })
}

/** Unpacks files of a package into a folder, all by default. Installs nothing that the package needs. */
function unpackNpm(folder: string, name: string, files: readonly string[] = []): void {
  const pack = ['pack', '--silent', name]
  const packed = execFileSync('npm', pack, { cwd: folder, encoding: 'utf8' }).trim()
  execFileSync('tar', ['xzf', packed, ...files], { cwd: folder })
  rmSync(join(folder, packed))
}

installTwilio()

if (!existsSync(OLDEST_NODE_BIN)) installNpm(OLDEST_NODE_FOLDER, OLDEST_NODE)
if (!areInstalled()) installNpm(FOLDER, TOOLS)
if (!hasCarrierLibraries()) installNpm(CARRIER_FOLDER, CARRIER_NPM)
if (!hasNpmClient()) installNpm(SMSGATE_FOLDER, SMSGATE_NPM)
if (!hasAuthServers()) installNpm(AUTH_FOLDER, AUTH_NPM)
if (!hasRuntimes()) installNpm(RUNTIMES_FOLDER, RUNTIMES_NPM)
function installPython(folder: string, packages: readonly string[]): void {
  if (!runs('python3', '-m', 'pip', '--version')) return
  execFileSync('python3', ['-m', 'pip', 'install', '--quiet', '--target', folder, ...packages], {
    stdio: 'inherit',
  })
}

if (!hasNovu()) {
  installNpm(DOORS_FOLDER, DOORS_NPM)
  unpackNpm(DOORS_FOLDER, NOVU)
}
if (!hasPrism()) installNpm(PRISM_FOLDER, PRISM_NPM)
if (!hasDocuments())
  for (const [name, files] of Object.entries(OPENAPI_NPM)) unpackNpm(PRISM_FOLDER, name, files)
if (!hasApprise()) installPython(DOORS_PYTHON, DOORS_PYPI)
if (!hasVendel('npm')) installNpm(VENDEL_NPM_FOLDER, VENDEL_NPM)
if (!hasVendel('python')) installPython(DOORS_PYTHON, VENDEL_PYPI)
if (!hasPythonClient()) installPython(PYTHON_FOLDER, SMSGATE_PYPI)
if (!existsSync(SMPP_FOLDER)) installPython(SMPP_FOLDER, SMPP_PYPI)

/** A package of Maven's with all that it needs. */
function installMaven(folder: string, artifact: Readonly<Record<string, string>>): void {
  if (!runs('mvn', '--version')) return
  const tags = (values: Readonly<Record<string, string>>) =>
    Object.entries(values).map(([tag, value]) => `<${tag}>${value}</${tag}>`)
  const own = tags({ modelVersion: '4.0.0', groupId: 'test', artifactId: 'test', version: '1' })
  const dependency = `<dependencies><dependency>${tags(artifact).join('')}</dependency></dependencies>`
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'pom.xml'), `<project>${own.join('')}${dependency}</project>`)
  const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${join(folder, 'jars')}`]
  execFileSync('mvn', ['--batch-mode', '--quiet', ...goal], { cwd: folder, stdio: 'inherit' })
}

if (!existsSync(join(SMPP_JAVA_FOLDER, 'jars'))) installMaven(SMPP_JAVA_FOLDER, SMPP_MAVEN)
if (!existsSync(join(TWILIO_JAVA_FOLDER, 'jars'))) installMaven(TWILIO_JAVA_FOLDER, TWILIO_MAVEN)

if (!hasDjango()) {
  installPython(DJANGO_FOLDER, DJANGO_PYPI)
  installPython(DJANGO_FOLDER, ['--no-deps', RAPIDSMS_PYPI])
}
if (!hasPythonSdk()) installPython(SDK_FOLDER, SDK_PYPI)
if (!hasNodeRed()) installNpm(NODE_RED_FOLDER, NODE_RED_NPM)
if (!hasShoutrrr() && runs('go', 'version'))
  execFileSync('go', ['install', SHOUTRRR_GO], {
    env: { ...process.env, GOBIN: dirname(SHOUTRRR) },
    stdio: 'inherit',
  })
