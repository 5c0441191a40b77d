import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stringify } from 'yaml'
import packageJson from '../../../package.json' with { type: 'json' }
import { until } from '../../support/until.ts'

// podman with images and containers of its own, which nobody else sees. Its images stay for the next run.

export const CLONE = fileURLToPath(new URL('../../..', import.meta.url))
export const STORE = join(tmpdir(), 'pocketsms-images')
export const IMAGE = `localhost/pocketsms:${packageJson.version}`

/** The greatest number of processes of a container that this machine surely allows. */
const MAX_PROCESSES = 16_384

/** Also beside much other work. */
export const HEALTHY_MS = 240_000

const settings = {
  CONTAINERS_CONF: join(STORE, 'containers.conf'),
  CONTAINERS_STORAGE_CONF: join(STORE, 'storage.conf'),
}

/** Writes podman's settings. `runc` and cgroupfs also run where systemd does not. */
export function writeSettings(): void {
  mkdirSync(STORE, { recursive: true })
  const [, files] = /Max open files +\d+ +(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))!
  const lines = [
    '[containers]',
    `default_ulimits = ["nofile=${files}:${files}", "nproc=${MAX_PROCESSES}:${MAX_PROCESSES}"]`,
    '[engine]',
    'runtime = "runc"',
    'cgroup_manager = "cgroupfs"',
    'events_logger = "file"',
    '[network]',
    'network_backend = "netavark"',
    `network_config_dir = "${STORE}/networks"`,
  ]
  writeFileSync(settings.CONTAINERS_CONF, lines.join('\n'))
  writeFileSync(
    settings.CONTAINERS_STORAGE_CONF,
    `[storage]\ndriver = "overlay"\ngraphroot = "${STORE}/store"\nrunroot = "${STORE}/run"\n`,
  )
}

const options = (env: Readonly<Record<string, string>> = {}, input = '') =>
  ({
    cwd: CLONE,
    encoding: 'utf8',
    env: { ...process.env, ...settings, ...env },
    input,
    maxBuffer: 1 << 28,
  }) as const

/** Runs a command of podman, and returns what it prints. */
export const podman = (...words: readonly string[]): string =>
  execFileSync('podman', words, options()).trim()

/** Whether a command of podman ends well. */
export const holds = (...words: readonly string[]): boolean =>
  spawnSync('podman', words, { ...options(), stdio: 'ignore' }).status === 0

/** Removes all containers, or those that a filter finds, and what depends on them. */
export function removeContainers(...filter: readonly string[]): void {
  const ids = podman('ps', '--all', '--quiet', ...filter)
  if (ids) podman('rm', '--force', '--depend', '--ignore', ...ids.split('\n'))
}

/** The services of a Compose file, started as a person would. */
export class Composed {
  readonly #project: string
  readonly #file: object
  readonly #env: Readonly<Record<string, string>>

  /** `file`: its contents; `env`: as in `.env`. */
  constructor(project: string, file: object, env: Readonly<Record<string, string>> = {}) {
    this.#project = project
    this.#file = file
    this.#env = env
  }

  run(...words: readonly string[]): string {
    const file = ['--in-pod', 'false', '-p', this.#project, '-f', '-']
    const profiles = this.#env.PROFILE ? ['--profile', this.#env.PROFILE] : []
    const all = [...file, ...profiles, ...words]
    return execFileSync('podman-compose', all, options(this.#env, stringify(this.#file)))
  }

  start(): void {
    this.run('up', '-d', '--no-build')
  }

  /** Stops and removes the containers, also ones that restart meanwhile, and leaves the volumes. */
  remove(): void {
    this.run('stop')
    removeContainers('--filter', `label=io.podman.compose.project=${this.#project}`)
    this.run('down')
  }

  container(service: string): string {
    return `${this.#project}_${service}_1`
  }

  volume(name: string): string {
    return `${this.#project}_${name}`
  }

  /** Runs a shell command in a service, and returns whether it ended well. */
  does(service: string, command: string): boolean {
    return holds('exec', this.container(service), 'sh', '-c', command)
  }

  exec(service: string, ...words: readonly string[]): string {
    return podman('exec', this.container(service), ...words)
  }

  /** Waits until the health check of a service passes: podman itself checks only where systemd runs. */
  async healthy(service: string): Promise<void> {
    const name = this.container(service)
    await until(`${name} to be healthy`, () => holds('healthcheck', 'run', name), HEALTHY_MS)
  }

  /** What the kernel says of each process of a service: `CapEff`, `NoNewPrivs`, `Uid` … */
  processes(service: string): Record<string, string>[] {
    const [, ...pids] = podman('top', this.container(service), 'hpid').split('\n')
    return pids.map((pid) =>
      Object.fromEntries(
        readFileSync(`/proc/${pid.trim()}/status`, 'utf8')
          .trim()
          .split('\n')
          .map((line) => line.split(/:\s+/) as [string, string]),
      ),
    )
  }
}
