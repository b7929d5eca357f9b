import { vi } from 'vitest';

/** A call the fake API has seen. */
export interface SeenCall {
  method: string;
  /** Path below /api, with its query. */
  path: string;
  body: unknown;
  headers: Headers;
}

/** An answer: a body for 200, or a Response. */
type Answer = object | string | Response;

/** Routes by "METHOD /path"; the path is compared with and without its query. */
export type Routes = Record<string, Answer | ((call: SeenCall) => Answer | Promise<Answer>)>;

/** fakeApi answers fetch from a table and notes every call. What is not in the table is 404. */
export function fakeApi(routes: Routes) {
  const calls: SeenCall[] = [];
  vi.stubGlobal('fetch', async (input: RequestInfo | URL, init: RequestInit = {}) => {
    const url = new URL(String(input), location.href);
    const path = url.pathname.replace(/^\/api/, '');
    const call: SeenCall = {
      method: init.method ?? 'GET',
      path: path + url.search,
      body: typeof init.body === 'string' ? JSON.parse(init.body) : init.body,
      headers: new Headers(init.headers),
    };
    calls.push(call);
    const route = routes[`${call.method} ${call.path}`] ?? routes[`${call.method} ${path}`];
    if (route === undefined) return refused(404, 'not_found');
    const answer = typeof route === 'function' ? await route(call) : route;
    if (answer instanceof Response) return answer.clone();
    return typeof answer === 'string' ? new Response(answer) : Response.json(answer);
  });
  return {
    calls,
    /** count is how often a call was made; the path is compared with its query. */
    count: (method: string, path: string) =>
      calls.filter((call) => call.method === method && call.path === path).length,
  };
}

/** data wraps a body in the envelope of a success. */
export const data = (body: unknown) => ({ code: 200, message: 'ok', success: true, data: body });

/** refused is an error answer with its machine code. */
export function refused(status: number, error: string, headers: Record<string, string> = {}): Response {
  const body = { code: status, message: '', success: false, data: null, error, request_id: 'r1' };
  return Response.json(body, { status, headers });
}
