import { useEffect, useState } from 'preact/hooks'
import type { PhoneReading } from '#portable/phone/read-phone.ts'
import { postRequest } from '../../data/client.ts'
import { type Fault, readFault } from '../../data/fault.ts'
import { useLatest } from '../../data/use/use-latest.ts'
import { t } from '../../language/words.ts'
import { type Recipients, UNKNOWN } from './list-rows.ts'

/** Numbers in one request: the server reads at most as many as one send may have. */
const AT_ONCE = 500

interface Preview {
  readonly items: readonly {
    readonly to: string
    readonly body: string
    readonly opted_out: boolean
    readonly without_consent: boolean
  }[]
}

/** `busy` until the server has named them. */
interface Found extends Recipients {
  readonly busy: boolean
  readonly fault: Fault | undefined
}

const NONE: Found = { ...UNKNOWN, busy: false, fault: undefined }

/**
 * Asks the server for the names of a list's numbers, and which of them get nothing. `needsConsent`: if they
 * have no proof of consent.
 */
export function useRecipients(numbers: readonly PhoneReading[], needsConsent: boolean): Found {
  const [found, setFound] = useState(NONE)
  const begin = useLatest()
  useEffect(() => {
    const isLatest = begin()
    setFound({ ...NONE, busy: true })
    const phones = [...new Set(numbers.flatMap(({ phone }) => phone ?? []))]
    readRecipients(phones, needsConsent, isLatest).then(
      (read) => isLatest() && setFound({ ...NONE, ...read }),
      (error) =>
        isLatest() && setFound({ ...NONE, ...(needsConsent && { fault: readFault(error) }) }),
    )
  }, [numbers, needsConsent])
  return found
}

/** Stands before the name, so that the text of a person without one is not empty. */
const BEFORE = '?'

async function readRecipients(
  phones: readonly string[],
  needsConsent: boolean,
  isWanted: () => boolean,
): Promise<Recipients> {
  const names = new Map<string, string>()
  const reasons = new Map<string, string>()
  for (let at = 0; at < phones.length && isWanted(); at += AT_ONCE) {
    const recipients = phones.slice(at, at + AT_ONCE)
    const body = {
      recipients,
      body: `${BEFORE}{{name}}`,
      variables: {},
      ...(needsConsent && { requires_consent: true }),
    }
    const { items } = await postRequest<Preview>('/api/sms/preview', body)
    for (const { to, body, opted_out, without_consent } of items) {
      names.set(to, body.slice(BEFORE.length))
      if (opted_out) reasons.set(to, t('Recipient has opted out'))
      if (without_consent) reasons.set(to, t('No proof of consent'))
    }
  }
  return { names, reasons }
}
