import { useEffect, useState } from 'preact/hooks'
import type { PhoneReading } from '#portable/phone/read-phone.ts'
import { postRequest } from '../../data/client.ts'
import { type Fault, readFault } from '../../data/fault.ts'
import { useLatest } from '../../data/use/use-latest.ts'
import { t } from '../../language/words.ts'

/** Numbers in one request: the server reads at most as many as one send may have. */
const AT_ONCE = 500

interface Preview {
  readonly items: readonly {
    readonly to: string
    readonly opted_out: boolean
    readonly without_consent: boolean
  }[]
}

/** People of a list who get nothing, each with the reason; `busy` until the server has named them. */
interface Refused {
  readonly reasons: ReadonlyMap<string, string>
  readonly busy: boolean
  readonly fault: Fault | undefined
}

const NONE: Refused = { reasons: new Map(), busy: false, fault: undefined }

/** Asks the server which numbers of a list get nothing. `needsConsent`: if they have no proof of consent. */
export function useRefused(numbers: readonly PhoneReading[], needsConsent: boolean): Refused {
  const [found, setFound] = useState(NONE)
  const begin = useLatest()
  useEffect(() => {
    const isLatest = begin()
    setFound({ ...NONE, busy: true })
    const phones = [...new Set(numbers.flatMap(({ phone }) => phone ?? []))]
    readReasons(phones, needsConsent, isLatest).then(
      (reasons) => isLatest() && setFound({ ...NONE, reasons }),
      (error) =>
        isLatest() && setFound({ ...NONE, ...(needsConsent && { fault: readFault(error) }) }),
    )
  }, [numbers, needsConsent])
  return found
}

async function readReasons(
  phones: readonly string[],
  needsConsent: boolean,
  isWanted: () => boolean,
) {
  const reasons = new Map<string, string>()
  for (let at = 0; at < phones.length && isWanted(); at += AT_ONCE) {
    const recipients = phones.slice(at, at + AT_ONCE)
    const body = { recipients, body: '?', ...(needsConsent && { requires_consent: true }) }
    const { items } = await postRequest<Preview>('/api/sms/preview', body)
    for (const { to, opted_out, without_consent } of items) {
      if (opted_out) reasons.set(to, t('Recipient has opted out'))
      if (without_consent) reasons.set(to, t('No proof of consent'))
    }
  }
  return reasons
}
