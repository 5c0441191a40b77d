import { defineCommand } from 'citty'
import { UserError } from '../../platform/api-errors.ts'
import { sendCsv } from './send-csv.ts'

const makeTextArg = (description: string, valueHint: string) =>
  ({ type: 'string', description, valueHint }) as const

export const sendCommand = defineCommand({
  args: {
    file: {
      type: 'positional',
      required: false,
      description: 'CSV: a head with column names, then a row each',
    },
    csv: makeTextArg('the same as FILE', 'FILE'),
    template: {
      ...makeTextArg('id of the template; the columns are its variables', 'ID'),
      required: true,
    },
    url: makeTextArg('the server (default: POCKETSMS_URL, else http://127.0.0.1:8090)', 'URL'),
    key: makeTextArg(
      'an API key (default: POCKETSMS_KEY, which other users of the machine cannot see)',
      'KEY',
    ),
    phone: {
      ...makeTextArg('the column with the numbers (default: phone, or a similar one)', 'COLUMN'),
      default: '',
    },
    country: {
      ...makeTextArg('the country of numbers without a calling code, such as DE', 'COUNTRY'),
      default: '',
    },
    results: makeTextArg(
      'the file that gets the result of each row (default: FILE.results)',
      'FILE',
    ),
    'dry-run': {
      type: 'boolean',
      description: 'show some texts, and send nothing',
      default: false,
    },
  },
  async run({ args }) {
    const { POCKETSMS_URL, POCKETSMS_KEY } = process.env
    const csv = args.file ?? args.csv
    if (!csv) throw new UserError('Name the file: pocketsms send FILE --template ID')
    const options = {
      csv,
      template: args.template,
      url: args.url || POCKETSMS_URL || 'http://127.0.0.1:8090',
      key: args.key || POCKETSMS_KEY || '',
      phoneColumn: args.phone,
      country: args.country,
      results: args.results || `${csv}.results`,
      dryRun: args['dry-run'],
    }
    await sendCsv(options, (line) => void process.stdout.write(`${line}\n`))
  },
})
