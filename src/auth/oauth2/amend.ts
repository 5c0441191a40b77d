import { isEmail } from '../../fields/types/address.ts'
import { toBool } from '../../fields/values/cast.ts'
import { readClaims } from './id-token.ts'
import { textAt, valueAt } from './profile.ts'
import type { ProviderType } from './provider-type.ts'

/** Statuses of a provider that mean: the user did not share the address. */
const isKeptSecret = (status: number) => status === 401 || status === 403 || status === 404

/** The user's own address in a list; '' if there is none. Throws for anything but a list. */
function pickEmail(entries: unknown, isOurs: (entry: unknown) => boolean): string {
  if (!Array.isArray(entries)) throw new TypeError('the addresses are no list')
  return textAt(entries.find(isOurs), 'email')
}

type Amend = NonNullable<ProviderType['amend']>

const isPrimary = (entry: unknown) =>
  valueAt(entry, 'verified') === true && valueAt(entry, 'primary') === true
/** Adds the primary address of the provider's list. PocketBase: tools/auth/github.go, gitea.go */
export const withListedEmail: Amend = async (profile, { call, provider }) => {
  const { status, text } = await call(`${provider.userInfoURL}/emails`)
  return isKeptSecret(status) ? profile : { ...profile, email: pickEmail(JSON.parse(text), isPrimary) }
}

const isConfirmedHere = (entry: unknown) =>
  valueAt(entry, 'is_primary') === true && valueAt(entry, 'is_confirmed') === true
/** Adds the primary address of Bitbucket's list, which is paged. PocketBase: tools/auth/bitbucket.go */
export const withBitbucketEmail: Amend = async (profile, { call, provider }) => {
  const { status, text } = await call(`${provider.userInfoURL}/emails`)
  if (status >= 400) return profile
  return { ...profile, email: pickEmail(valueAt(JSON.parse(text), 'values') ?? [], isConfirmedHere) }
}

/** Adds the primary address of Gitee's list, which also has hidden ones. PocketBase: tools/auth/gitee.go */
export const withGiteeEmail: Amend = async (profile, { call }) => {
  if (isEmail(profile.email)) return profile
  const isOurs = (entry: unknown) =>
    valueAt(entry, 'state') === 'confirmed' &&
    [valueAt(entry, 'scope')].flat().includes('primary') &&
    isEmail(textAt(entry, 'email'))
  const { status, text } = await call('https://gitee.com/api/v5/emails')
  return { ...profile, email: isKeptSecret(status) ? '' : pickEmail(JSON.parse(text), isOurs) }
}

/** By the collection's option: the id token's claim that proves an address. */
const MICROSOFT_EMAILS: Readonly<Record<string, (claims: unknown) => string>> = {
  any_verified: (claims) => textAt(claims, 'verified_primary_email') || confirmedByDomain(claims),
  verified_primary_email: (claims) => textAt(claims, 'verified_primary_email'),
  email_and_xms_edov: (claims) => confirmedByDomain(claims),
  email: (claims) => textAt(claims, 'email'),
}
const confirmedByDomain = (claims: unknown) =>
  toBool(valueAt(claims, 'xms_edov')) ? textAt(claims, 'email') : ''

/** Takes the address from the claim that the options name. PocketBase: tools/auth/microsoft.go */
export const withMicrosoftEmail: Amend = (profile, { provider, token }) => {
  const choose = MICROSOFT_EMAILS[String(provider.extra.idTokenEmailClaim ?? '')]
  if (!choose) return profile
  return { ...profile, email: choose(readClaims(textAt(token.raw, 'id_token'))) }
}

/** Old Discord names end in a number. PocketBase: tools/auth/discord.go */
export const withDiscordName: Amend = (profile, { raw }) => {
  const avatar = textAt(raw, 'avatar')
  const number = textAt(raw, 'discriminator')
  const old = number === '' || number === '0' ? profile.username : `${profile.username}#${number}`
  return {
    ...profile,
    name: profile.name || old,
    avatarURL: avatar && `https://cdn.discordapp.com/avatars/${profile.id}/${avatar}.png`,
  }
}
