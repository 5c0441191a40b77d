/** Names of this computer itself. RFC 6761, 6.3; RFC 1122, 3.2.1.3 */
const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/

/** Whether an address means the computer that opens it, so that no other one can reach the server by it. */
export const isLoopback = (url: string) => LOOPBACK.test(new URL(url).hostname)

/** Whether requests to an address are unencrypted and leave this computer. */
export const isUnencrypted = (url: string) => new URL(url).protocol === 'http:' && !isLoopback(url)
