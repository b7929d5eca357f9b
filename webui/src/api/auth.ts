import { api } from './client';
import type { KeyCheck, LoginAnswer } from './types';

/** login asks for a session; totp is a code of the second step, where the server wants one. */
export const login = (username: string, password: string, totp?: string) =>
  api.post<LoginAnswer>(
    '/admin/login',
    { username, password, ...(totp && { totp }) },
    { as: { kind: 'none' } },
  );

/** logout ends the session at the server. */
export const logout = () => api.post<unknown>('/admin/logout');

/** testAdminToken throws ApiError 401 when the session is over. */
export const testAdminToken = (signal?: AbortSignal) => api.get<unknown>('/test/admin-token', { signal });

/** testKey checks the key of the session, or another one before it becomes the session's. */
export const testKey = (key?: string) =>
  api.get<KeyCheck>('/test/api-key', key === undefined ? {} : { as: { kind: 'apikey', key } });

/** changePassword changes the name or the password of the administrator. */
export const changePassword = (body: {
  currentPassword: string;
  newPassword?: string;
  newUsername?: string;
}) => api.post<unknown>('/admin/change-password', body);
