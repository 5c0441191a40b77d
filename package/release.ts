/**
 * `npm run release -- 0.3.0 --key FILE [--repository OWNER/NAME] [--out FOLDER] [--dry-run]`: writes the
 * version, date and repository, commits and tags, and makes in FOLDER the packed files of the server and of
 * its client, the server's SBOM, the notes of the release and checksums. The SSH key signs the tag and the
 * checksums. With --dry-run it does so in a copy, commits nothing, and needs no key. The first release needs
 * --repository; package.json names the repository for later ones.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { INSIDE } from './bundle.ts'
import { HOME, linkAbsolutely } from './readme.ts'

const CLIENT = 'clients/javascript'

/** Files that name the version, as `"version": "…"`, `version: …` or in the name of the image. */
const VERSIONED = [
  'README.md',
  'package.json',
  'package-lock.json',
  `${CLIENT}/package.json`,
  'docker-compose.yml',
  'deploy/compose-servers.yml',
  'deploy/kubernetes.yaml',
  'deploy/coolify.yml',
  'deploy/caprover.yml',
  'deploy/casaos.yml',
  'deploy/unraid.xml',
  'deploy/home-assistant/config.yaml',
  'deploy/home-assistant/Dockerfile',
  'deploy/helm/Chart.yaml',
  'deploy/helm/values.yaml',
]
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    repository: { type: 'string', default: process.env.GITHUB_REPOSITORY ?? '' },
    out: { type: 'string', default: 'release' },
    key: { type: 'string' },
    'dry-run': { type: 'boolean', default: false },
  },
})
const [version = ''] = positionals
const { repository, key, 'dry-run': isDry } = values
const out = resolve(values.out)

const refuse = (sentence: string): never => {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}
const run = (cwd: string, command: string, ...args: string[]) =>
  execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 1 << 28,
  })
const lines = (text: string) => text.trim().split('\n')

if (!/^\d+\.\d+\.\d+$/.test(version)) refuse('Which version? npm run release -- 0.3.0')
if (key ? !existsSync(key) : !isDry) refuse('Which SSH key signs? --key ~/.ssh/id_ed25519')
if (!isDry && run(HOME, 'git', 'status', '--porcelain'))
  refuse('Commit first: the release is what is committed.')

const home = isDry ? copyOfClone() : HOME
const change = (file: string, edit: (text: string) => string) => {
  const path = join(home, file)
  if (existsSync(path)) writeFileSync(path, edit(readFileSync(path, 'utf8')))
}

function copyOfClone(): string {
  const copy = mkdtempSync(join(tmpdir(), 'pocketsms-release-'))
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }))
  for (const file of lines(
    run(HOME, 'git', 'ls-files', '--cached', '--others', '--exclude-standard'),
  ))
    if (!file.startsWith('test/') && existsSync(join(HOME, file)))
      cpSync(join(HOME, file), join(copy, file))
  symlinkSync(join(HOME, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

/** Returns the day of the release, which is today unless CHANGELOG.md names another. */
function writeVersion(): string {
  const { version: before } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  const notes = readFileSync(join(home, 'CHANGELOG.md'), 'utf8')
  if (!notes.includes(`\n## ${version}\n`)) refuse(`CHANGELOG.md has no section ${version}.`)
  const today = new Date().toISOString().slice(0, 10)
  change('CHANGELOG.md', (text) =>
    text.replace(`## ${version}\n\nNot released yet.`, () => `## ${version}\n\nReleased ${today}.`),
  )
  for (const file of VERSIONED) {
    const named = (text: string) =>
      text
        .replace(`"version": "${before}"`, () => `"version": "${version}"`)
        .replace(`\nversion: ${before}\n`, () => `\nversion: ${version}\n`)
        .replace(`  version: ${before}\n`, () => `  version: ${version}\n`)
        .replace(`defaultValue: ${before}\n`, () => `defaultValue: ${version}\n`)
        .replaceAll(`pocketsms:${before}`, () => `pocketsms:${version}`)
    // of package-lock.json the second place, too
    change(file, (text) => named(named(text)))
  }
  const [, day = today] = notes.split(`\n## ${version}\n\nReleased `)[1]?.match(/^([\d-]+)/) ?? []
  return day
}

/** Writes the repository into package.json, and its image into the files that start one. */
function writeRepository(): void {
  if (
    !repository &&
    (isDry || JSON.parse(readFileSync(join(HOME, 'package.json'), 'utf8')).repository)
  )
    return
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository)) refuse('Which repository? --repository OWNER/NAME')
  const address = `https://github.com/${repository}`
  const nameRepository = (file: string, folder: { readonly directory?: string }) =>
    change(file, (text) => {
      const source = { type: 'git', url: `git+${address}.git`, ...folder }
      const named = { homepage: address, repository: source, bugs: `${address}/issues` }
      return `${JSON.stringify({ ...JSON.parse(text), ...named }, null, 2)}\n`
    })
  nameRepository('package.json', {})
  nameRepository(`${CLIENT}/package.json`, { directory: CLIENT })
  // names of images are in lower case
  const image = `ghcr.io/${repository.toLowerCase()}:`
  for (const file of VERSIONED)
    change(file, (text) =>
      text.replaceAll(/(?<=image: |FROM |<Repository>)pocketsms:/g, () => image),
    )
}

/** The section of this version in CHANGELOG.md, without its heading and date, with absolute links. */
function readNotes(): string {
  const [, section = ''] = readFileSync(join(home, 'CHANGELOG.md'), 'utf8').split(
    `\n## ${version}\n`,
  )
  const [notes = ''] = section.split('\n## ')
  const text = notes.replace(/^\s*(Released .*|Not released yet\.)/, '').trim()
  return `${linkAbsolutely(text, home)}\n`
}

/**
 * Adds the libraries within the bundle of the program, which npm does not install, to the list of npm. Its
 * number and time are those of the packed file and of the release: whoever makes the files again gets the
 * same.
 */
function completeBill(sbom: string, packed: string): string {
  const bill = JSON.parse(sbom)
  const [a, b, c, d, e] = /^(.{8})(.{4})(.{3})(.{3})(.{12})/.exec(hash(packed))!.slice(1)
  bill.serialNumber = `urn:uuid:${a}-${b}-8${c}-8${d}-${e}`
  bill.metadata.timestamp = `${released}T00:00:00.000Z`
  const bundled = INSIDE.map((name) => {
    const about = readFileSync(join(home, 'node_modules', name, 'package.json'), 'utf8')
    const { version, license } = JSON.parse(about)
    const [ref, licenses] = [`${name}@${version}`, [{ license: { id: license } }]]
    return { 'bom-ref': ref, type: 'library', name, version, purl: `pkg:npm/${ref}`, licenses }
  })
  return JSON.stringify({ ...bill, components: [...bill.components, ...bundled] }, undefined, 2)
}

const hash = (file: string) =>
  createHash('sha256')
    .update(readFileSync(join(out, file)))
    .digest('hex')

/** Writes SHA256SUMS.sig, which `ssh-keygen -Y verify` checks. */
function sign(file: string): void {
  rmSync(`${file}.sig`, { force: true })
  run(home, 'ssh-keygen', '-q', '-Y', 'sign', '-f', resolve(key!), '-n', 'pocketsms', file)
}

/** Packed files, what an installation of the server has on this platform, notes, and checksums of all. */
function build(): void {
  mkdirSync(out, { recursive: true })
  run(home, 'npm', 'pack', '--silent', '--pack-destination', out)
  run(home, 'npm', 'pack', '--silent', '--pack-destination', out, `./${CLIENT}`)
  const packed = `pocketsms-${version}.tgz`
  const notes = `notes-${version}.md`
  writeFileSync(join(out, notes), readNotes())
  const place = mkdtempSync(join(tmpdir(), 'pocketsms-sbom-'))
  try {
    writeFileSync(join(place, 'package.json'), JSON.stringify({ name: 'installation', version }))
    const quiet = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--silent']
    run(place, 'npm', 'install', ...quiet, join(out, packed))
    const sbom = run(
      place,
      'npm',
      'sbom',
      '--sbom-format',
      'cyclonedx',
      '--sbom-type',
      'application',
    )
    const bill = `pocketsms-${version}-${process.platform}-${process.arch}.cdx.json`
    writeFileSync(join(out, bill), completeBill(sbom, packed))
    writeFileSync(
      join(out, 'SHA256SUMS'),
      [packed, `pocketsms-client-${version}.tgz`, bill, notes]
        .map((file) => `${hash(file)}  ${file}\n`)
        .join(''),
    )
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

const released = writeVersion()
writeRepository()
build()
if (key) sign(join(out, 'SHA256SUMS'))
if (!isDry) {
  if (run(home, 'git', 'status', '--porcelain'))
    run(home, 'git', 'commit', '--all', '--message', `release: ${version}`)
  const signed = ['-c', 'gpg.format=ssh', '-c', `user.signingkey=${resolve(key!)}`, 'tag', '--sign']
  run(home, 'git', ...signed, `v${version}`, '--message', `pocketsms ${version}`)
}
process.stdout.write(
  `${out} has the packed files, the SBOM, the notes${key ? ', SHA256SUMS and its signature' : ' and SHA256SUMS'}.\n`,
)
if (!isDry)
  process.stdout.write(`Next: git push --follow-tags. The workflow of the tag publishes.\n`)
