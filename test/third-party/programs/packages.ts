import { existsSync, globSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { runs } from '../../support/installed.ts'
import { PROGRAMS_FOLDER } from '../program-tools.ts'

// Whole programs with a page in docs/recipes, in the versions of their pages, and how each is installed.

/** A program that has its packages of Python for itself, as each pins other versions. */
export interface PythonProgram {
  readonly python: string
  readonly pypi: readonly string[]
  /** The file in `bin` that proves the installation. */
  readonly command: string
}

/** Installs them. */
export const UV_PYPI = 'uv==0.13.9'

export const PYTHON = {
  ansible: { python: 'python3', pypi: ['ansible-core==2.19.14'], command: 'ansible-playbook' },
  borgmatic: {
    python: 'python3',
    pypi: ['borgmatic[Apprise]==2.1.10'],
    command: 'borgmatic',
  },
  changedetection: {
    python: 'python3',
    pypi: ['changedetection.io==0.60.10'],
    command: 'changedetection.io',
  },
  'home-assistant': { python: 'python3.13', pypi: ['homeassistant==2025.4.4'], command: 'hass' },
  mqttwarn: { python: 'python3', pypi: ['mqttwarn==0.36.1'], command: 'mqttwarn' },
  privacyidea: { python: 'python3', pypi: ['privacyidea==3.14'], command: 'pi-manage' },
  urlwatch: { python: 'python3', pypi: ['urlwatch==2.29'], command: 'urlwatch' },
} as const satisfies Readonly<Record<string, PythonProgram>>

export const folderOf = (program: string) => join(PROGRAMS_FOLDER, program)
export const pythonFile = (program: keyof typeof PYTHON, name: string = PYTHON[program].command) =>
  join(folderOf(program), 'bin', name)

export const NPM = {
  'mcp-inspector': { '@modelcontextprotocol/inspector': '2.12.0' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>
export const npmFile = (program: keyof typeof NPM, name: string) =>
  join(folderOf(program), 'node_modules', '.bin', name)

/** Programs of Go's modules: of Watchtower the part that sends, in Watchtower's version. */
export const GO = { watchtower: 'github.com/containrrr/shoutrrr/shoutrrr@v0.8.0' } as const
export const goFile = (program: keyof typeof GO) =>
  join(folderOf(program), basename(GO[program].split('@')[0]!))

/** Debian's packages, and a command that each brings. */
export const DEBIAN = {
  fail2ban: { packages: ['fail2ban'], command: ['fail2ban-server', '--version'] },
  laravel: {
    packages: ['php-laravel-framework', 'php-guzzlehttp-guzzle', 'php-cli', 'php-curl'],
    command: ['php', '-r', 'require "Illuminate/autoload.php"; require "GuzzleHttp/autoload.php";'],
  },
  mosquitto: {
    packages: ['mosquitto', 'mosquitto-clients'],
    command: ['sh', '-c', 'command -v mosquitto mosquitto_pub'],
  },
  nut: { packages: ['nut-server', 'nut-client'], command: ['upsd', '-V'] },
  postfix: {
    packages: ['postfix', 'libsasl2-modules'],
    command: ['postconf', '-d', 'mail_version'],
  },
  symfony: {
    packages: ['php-symfony-twilio-notifier', 'php-cli', 'php-curl'],
    command: ['php', '-r', 'require "Symfony/Component/Notifier/Bridge/Twilio/autoload.php";'],
  },
  zabbix: {
    packages: ['zabbix-server-pgsql', 'zabbix-frontend-php', 'php-pgsql', 'php-cli'],
    command: ['zabbix_server', '--version'],
  },
} as const
export const hasDebian = (program: keyof typeof DEBIAN) => {
  const [command, ...args] = DEBIAN[program].command
  return runs(command, ...args)
}

/** A command of Python, on the PATH or of pyenv; undefined if there is none. */
export const findPython = (name: string): string | undefined => {
  const versions = join(homedir(), '.pyenv', 'versions', `${name.replace('python', '')}.*`)
  return [name, ...globSync(join(versions, 'bin', name))].find((path) => runs(path, '--version'))
}

export const hasPython = (program: keyof typeof PYTHON) => existsSync(pythonFile(program))
export const hasNpm = (program: keyof typeof NPM) =>
  existsSync(join(folderOf(program), 'node_modules'))
export const hasGo = (program: keyof typeof GO) => existsSync(goFile(program))
