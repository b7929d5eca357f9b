-- A database of an early version: no mounts, no bits, no times that end.
CREATE TABLE admins (id TEXT PRIMARY KEY, username TEXT, password TEXT);
CREATE TABLE api_keys (id TEXT PRIMARY KEY, name TEXT, key TEXT, text_permission BOOLEAN DEFAULT 0, file_permission BOOLEAN DEFAULT 0, mount_permission BOOLEAN,
    last_used DATETIME, created_at DATETIME, expires_at DATETIME);
CREATE TABLE s3_configs (id TEXT PRIMARY KEY, name TEXT, provider_type TEXT, endpoint_url TEXT, bucket_name TEXT, region TEXT, access_key_id TEXT, secret_access_key TEXT);
CREATE TABLE files (id TEXT PRIMARY KEY, filename TEXT, storage_path TEXT, s3_url TEXT, mimetype TEXT, size INTEGER, s3_config_id TEXT, slug TEXT UNIQUE,
    password TEXT, use_proxy BOOLEAN DEFAULT 1);
CREATE TABLE system_settings (key TEXT PRIMARY KEY, value TEXT);
INSERT INTO admins VALUES ('11111111-1111-4111-8111-111111111111', 'admin', '240be518fabd2724ddb6f04eeb1da5967448d7e831c08c8fa822809f74c720a9');
INSERT INTO api_keys VALUES ('22222222-2222-4222-8222-000000000001', 'old', 'Ab3dEf6hIj9k', 1, 1, 1, NULL, '2024-01-01 00:00:00', NULL);
INSERT INTO s3_configs VALUES ('33333333-3333-4333-8333-000000000001', 'bucket', 'Cloudflare R2', '@endpoint', '@bucket', NULL, '@access', '@secret');
INSERT INTO files VALUES ('66666666-6666-4666-8666-000000000001', 'a.txt', 'a.txt', 'https://example.com/a.txt', 'text/plain', 3, '33333333-3333-4333-8333-000000000001', 'early', NULL, 1);
INSERT INTO system_settings VALUES ('max_upload_size', '42');
