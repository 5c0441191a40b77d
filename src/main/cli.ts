import { defineCommand, runMain } from 'citty'
import packageJson from '../../package.json' with { type: 'json' }
import { makeStrictCommand, printLine } from './command-line.ts'

/** Each command loads only its own modules: those of the server take two seconds of a slow core. */
const main = defineCommand({
  meta: {
    name: 'pocketsms',
    version: packageJson.version,
    description: 'An SMS gateway that anyone can run.',
  },
  subCommands: {
    serve: async () => (await import('./serve-command.ts')).serve,
    demo: async () => {
      const { runServer } = await import('./run-server.ts')
      return (await import('./demo/demo.ts')).makeDemoCommand((config) => runServer(config))
    },
    doctor: async () => (await import('./doctor.ts')).doctorCommand,
    migrate: async () => (await import('./database-commands.ts')).migrateCommand,
    superuser: async () => (await import('./superuser-command.ts')).superuser,
    import: async () => (await import('./import-command.ts')).importCommand,
    backup: async () => (await import('./backup-commands.ts')).backup,
    restore: async () => (await import('./backup-commands.ts')).restore,
    'database-url': async () => (await import('./database-commands.ts')).databaseUrlCommand,
    scrub: async () => (await import('./scrub-command.ts')).scrubCommand,
    agent: async () => (await import('../programs/agent/agent-command.ts')).agentCommand,
    send: async () => (await import('../programs/bulk/bulk-command.ts')).sendCommand,
    openapi: async () => (await import('./openapi-command.ts')).openapi,
  },
})

const WELCOME = `pocketsms ${packageJson.version}: an SMS gateway that sends through your own phones and modems.

  pocketsms demo     see it work: two simulated phones, a few texts, data of its own in ./data/demo
  pocketsms serve    run a server on http://127.0.0.1:8090, with its data in ./data
  pocketsms doctor   check what fails most: port, database, disk, clock, address, certificate
  pocketsms --help   all commands

From npm, without installing: npx pocketsms demo`

if (process.argv.length > 2) await runMain(makeStrictCommand(main))
else printLine(WELCOME)
