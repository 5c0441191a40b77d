import { findCarrierWords } from '../../data/carriers/carrier-words.ts'
import type { CarrierPreset } from '../../data/carriers/carriers.ts'
import { t } from '../../language/words.ts'
import type { FieldRow, FormRow } from '../../parts/rows/form-row.ts'
import type { Value } from '../../parts/rows/values.ts'
import { makeCustomRows } from './custom-rows.ts'

const requireTyped = (typed: Value) =>
  String(typed).trim() === '' ? t('Fill this in.') : undefined

/** A value that may be left empty. */
const makeNumberRow = (name: string, label: string): FieldRow => ({
  name,
  label,
  placeholder: '10',
  kind: 'number',
  min: 0,
  write: (typed) => (typed === '' ? '' : Number(typed)),
})

const readSenders = (stored: unknown) =>
  ((stored as readonly string[] | undefined) ?? []).join(', ')

/** Senders may contain spaces; numbers are stored without. */
const writeSenders = (typed: Value): readonly string[] =>
  String(typed)
    .split(/[,;\n]/)
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .map((one) => (/^\+[\d\s()/-]+$/.test(one) ? one.replace(/[^+\d]/g, '') : one))

const makeSendersRow = (preset: string): FieldRow => ({
  name: 'senders',
  label: t('Senders'),
  placeholder: '+15005550006, Acme',
  read: readSenders,
  write: writeSenders,
  hint:
    preset === 'pocketsms'
      ? t('Numbers or names of lines of the other account. Empty: the other account chooses.')
      : t(
          'Numbers with +, short codes, or names of at most 11 characters. Separate by commas. The server makes a line for each sender. If empty, the carrier chooses the sender.',
        ),
})

const KEPT = t(
  'The secret is stored encrypted and not shown again. Empty: the stored secret stays.',
)

function makeCredentialRows(preset: CarrierPreset, isNew: boolean): readonly FormRow[] {
  const { name, user, secret, webhook_secret: webhookSecret } = preset
  const isNeeded = isNew && name !== 'custom'
  const { where } = findCarrierWords(name)
  const hidden = { kind: 'password', autocomplete: 'new-password' } as const
  const rows: readonly (FieldRow | false)[] = [
    user !== '' && {
      name: 'user',
      label: user,
      autocomplete: 'off',
      spellcheck: false,
      ...(name !== 'custom' && { error: requireTyped }),
    },
    secret !== '' && {
      name: 'secret',
      label: secret,
      ...hidden,
      hint: isNew ? where : KEPT,
      ...(isNeeded && { error: requireTyped }),
    },
    // the other pocketsms makes this secret only when it has the address
    webhookSecret !== '' &&
      (!isNew || name !== 'pocketsms') && {
        name: 'webhook_secret',
        label: webhookSecret,
        ...hidden,
        hint: isNew
          ? t(
              'The secret shows that a delivery report or a text is the carrier’s. Without the secret, both are refused.',
            )
          : KEPT,
      },
  ]
  return rows.filter((row) => row !== false)
}

const makeAddressRow = (preset: CarrierPreset): FieldRow => {
  const row = { name: 'url', label: t('Address'), kind: 'url' } as const
  if (preset.url !== '')
    return {
      ...row,
      placeholder: preset.url,
      hint: t('Only for another region. Empty: the usual one.'),
    }
  const placeholder =
    preset.name === 'pocketsms' ? 'https://sms.example.com' : 'https://api.example.com'
  return { ...row, placeholder, error: requireTyped }
}

const makeMoreRows = (preset: CarrierPreset): FormRow => ({
  summary: preset.url === '' ? t('More: rate') : t('More: rate and address'),
  folded: [
    [
      makeNumberRow('rate', t('Texts a second')),
      makeNumberRow('parallel', t('Requests at the same time')),
    ],
    ...(preset.url === '' ? [] : [makeAddressRow(preset)]),
  ],
})

const makeNameRow = (preset: string): FieldRow => ({
  name: 'name',
  label: t('Name'),
  placeholder: findCarrierWords(preset).name,
  hint: t('Your name for the account, beside your other devices.'),
})

/** The fields of a carrier's account: those that its preset needs. */
export const makeAccountRows = (preset: CarrierPreset, isNew: boolean): readonly FormRow[] => [
  ...(isNew ? [makeNameRow(preset.name)] : []),
  ...(preset.url === '' ? [makeAddressRow(preset)] : []),
  ...makeCredentialRows(preset, isNew),
  ...preset.values.map((name) => ({ name: `values.${name}`, label: name, error: requireTyped })),
  makeSendersRow(preset.name),
  ...(preset.name === 'custom' ? makeCustomRows() : []),
  makeMoreRows(preset),
]
