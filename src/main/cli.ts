import { defineCommand, runMain, type SubCommandsDef } from 'citty'
import packageJson from '../../package.json' with { type: 'json' }
import { makeStrictCommand, printLine } from './command-line.ts'

interface Command {
  readonly description: string
  /** Imports the command's modules: those of the server take seconds of a slow core. */
  readonly load: Extract<SubCommandsDef[string], () => Promise<unknown>>
}

const COMMANDS: Readonly<Record<string, Command>> = {
  serve: {
    description: 'Run the server. Settings come from the environment; see docs/settings.md.',
    load: async () => (await import('./serve-command.ts')).serve,
  },
  demo: {
    description: 'Show the main job with two simulated phones, on separate data.',
    async load() {
      const { runServer } = await import('./run-server.ts')
      return (await import('./demo/demo.ts')).makeDemoCommand((config) => runServer(config))
    },
  },
  doctor: {
    description: 'Check for common problems, and suggest solutions.',
    load: async () => (await import('./doctor.ts')).doctorCommand,
  },
  migrate: {
    description: 'Bring the database up to date, without serving.',
    load: async () => (await import('./database-commands.ts')).migrateCommand,
  },
  superuser: {
    description: 'Manage superusers, who may do everything.',
    load: async () => (await import('./superuser-command.ts')).superuser,
  },
  import: {
    description: 'Import collections and records, all or nothing.',
    load: async () => (await import('./import-command.ts')).importCommand,
  },
  backup: {
    description:
      'Write everything to one file, while the server runs or not. It can be restored on any Postgres.',
    load: async () => (await import('./backup-commands.ts')).backup,
  },
  restore: {
    description: 'Restore a backup into an empty database or a new folder, all or nothing.',
    load: async () => (await import('./backup-commands.ts')).restore,
  },
  'database-url': {
    description: 'Print the address of the database, for psql.',
    load: async () => (await import('./database-commands.ts')).databaseUrlCommand,
  },
  scrub: {
    description:
      'Rewrite all tables, so that the files of Postgres hold no deleted data. Each table is locked meanwhile.',
    load: async () => (await import('./scrub-command.ts')).scrubCommand,
  },
  agent: {
    description: 'Act as a device: send and receive through a phone or modem.',
    load: async () => (await import('../programs/agent/agent-command.ts')).agentCommand,
  },
  send: {
    description: 'Send a template to each row of a CSV file, over HTTP.',
    load: async () => (await import('../programs/bulk/bulk-command.ts')).sendCommand,
  },
  openapi: {
    description: 'Print the API as an OpenAPI 3.1 document (JSON).',
    load: async () => (await import('./openapi-command.ts')).openapi,
  },
}

const words = process.argv.slice(2)
/** The command that these words call. Help shows the others, too, but loads none of them. */
const called = words.find((word) => !word.startsWith('-'))
const main = defineCommand({
  meta: {
    name: 'pocketsms',
    version: packageJson.version,
    description: 'An SMS gateway that anyone can run.',
  },
  subCommands: Object.fromEntries(
    Object.entries(COMMANDS).map(([name, { description, load }]) => {
      const meta = { name, description }
      return [name, name === called ? async () => ({ ...(await load()), meta }) : { meta }]
    }),
  ),
})

const WELCOME = `pocketsms ${packageJson.version}: an SMS gateway that sends through your own phones and modems.

  pocketsms demo     see it work: two simulated phones, a few texts, data of its own in ./data/demo
  pocketsms serve    run a server on http://127.0.0.1:8090, with its data in ./data
  pocketsms doctor   check what fails most: port, database, disk, clock, address, certificate
  pocketsms --help   all commands

From npm, without installing: npx pocketsms demo`

if (words.length > 0) await runMain(makeStrictCommand(main))
else printLine(WELCOME)
