import { Places } from './places.ts'

// Limits per holder that are settings. They do not limit all holders together.

const ofServers = new WeakMap<object, Places>()

/** Event streams and waiting claims of the server that `server` stands for. */
export function streamPlaces(server: object, share: number): Places {
  const places =
    ofServers.get(server) ?? new Places({ name: 'event streams and waiting claims', total: Infinity, share })
  ofServers.set(server, places)
  return places
}

/** Connections of a server, by address. */
export const connectionPlaces = (share: number) =>
  new Places<string>({ name: 'connections', total: Infinity, share })
