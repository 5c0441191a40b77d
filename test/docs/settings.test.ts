import { z } from 'zod'
import { SETTINGS } from '../../src/platform/environment-settings.ts'

// `npm run settings` writes the page anew after a change of src/platform/environment-settings.ts.

/** The value of an unset variable, as a person writes it. */
function defaultOf(schema: z.ZodType): string {
  const { data = '' } = z.safeParse(schema, undefined)
  return Array.isArray(data) ? data.join(',') : String(data)
}

const rows = Object.values(SETTINGS).map(([variable, schema, meaning]) => {
  const value = defaultOf(schema)
  return `| \`${variable}\` | ${value && `\`${value}\``} | ${meaning} |`
})

const PAGE = `# Settings

After this page you can set up a server by environment variables. The server checks them at its start: a wrong value ends the start with a sentence that
names the variable. An empty variable counts as unset.

| variable | default | meaning |
|---|---|---|
${rows.join('\n')}

The server's own Postgres needs its programs. \`POSTGRES_BIN\` names a folder with \`postgres\` and \`initdb\`, version 15 or later. If it is unset, the
server uses the programs of its npm package, else the installed programs.

## Settings in the console

Superusers change these while the server runs:

- On the page Settings: the SMTP server for mails, rate limits, and the addresses from which superusers may sign in. Until you set an SMTP server, the
  server writes mails to its log.
- On the page Backups: the schedule, and the S3 store.

Mails are in the language that a user has chosen in the console (\`language\` of users), else in that of the browser that asks for them. Mail templates that
you have edited stay as they are.

PocketBase's \`/api/settings\` has all of these, and also the limits of batches and how long the server keeps [failed requests](operations.md#what-failed).
`

test('docs/settings.md lists every setting with its default and meaning', async () => {
  await expect(PAGE).toMatchFileSnapshot('../../docs/settings.md')
})
