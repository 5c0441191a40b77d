import type { ZodOpenApiOperationObject } from 'zod-openapi'

export const SECURITY_SCHEMES = {
  token: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The token of a sign-in. `Bearer` may be left out.',
  },
  deviceToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The token of a pairing.',
  },
  smsgateLogin: {
    type: 'http',
    scheme: 'basic',
    description: "The user's email or id, and an API key as the password.",
  },
  smsgateToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key, or a token of `/auth/token`.',
  },
  hook: { type: 'http', scheme: 'bearer', description: 'The secret of a record of `hooks`.' },
  hookLogin: {
    type: 'http',
    scheme: 'basic',
    description: 'Any user name, and the secret of a record of `hooks` as the password.',
  },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key: `psk_…`.' },
  accessToken: {
    type: 'apiKey',
    in: 'header',
    name: 'access-token',
    description: 'An API key: `psk_…`.',
  },
  twilio: {
    type: 'http',
    scheme: 'basic',
    description:
      'The AccountSid or the SID of a key, and the AuthToken: of an API key made with `twilio`.',
  },
} as const

type Requirement = NonNullable<ZodOpenApiOperationObject['security']>

/** How clients send credentials, for OpenAPI. */
export const SECURITY_REQUIREMENTS = {
  /** No credentials in a header that OpenAPI could describe: the route is open, or reads a secret itself. */
  none: [],
  signedIn: [{ token: [] }],
  /** No credentials needed; a token may show or allow more. */
  anyone: [{}, { token: [] }],
  sender: [{ apiKey: [] }, { token: [] }],
  apiKey: [{ apiKey: [] }],
  /** As SMSEagle's APIv2 sends an API key. */
  accessToken: [{ accessToken: [] }],
  twilio: [{ twilio: [] }],
  hook: [{ hook: [] }, { hookLogin: [] }],
  device: [{ deviceToken: [] }],
  smsgate: [{ smsgateLogin: [] }, { smsgateToken: [] }],
} satisfies Readonly<Record<string, Requirement>>
export type Security = keyof typeof SECURITY_REQUIREMENTS
