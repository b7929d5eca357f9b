-- A database of a later version: storage configs as JSON, private texts, keys
-- that are switched off or bound to storages.
CREATE TABLE admins (id TEXT PRIMARY KEY, username TEXT, password TEXT);
CREATE TABLE api_keys (id TEXT PRIMARY KEY, name TEXT, key TEXT, permissions INTEGER, role TEXT, basic_path TEXT, is_enable BOOLEAN, last_used DATETIME, created_at DATETIME, expires_at DATETIME);
CREATE TABLE storage_configs (id TEXT PRIMARY KEY, name TEXT, storage_type TEXT, admin_id TEXT, is_public INTEGER, is_default INTEGER, remark TEXT, status TEXT, config_json TEXT,
    created_at DATETIME, updated_at DATETIME, last_used DATETIME);
CREATE TABLE s3_configs (id TEXT PRIMARY KEY, name TEXT, provider_type TEXT, endpoint_url TEXT, bucket_name TEXT, access_key_id TEXT, secret_access_key TEXT);
CREATE TABLE principal_storage_acl (subject_type TEXT, subject_id TEXT, storage_config_id TEXT);
CREATE TABLE pastes (id TEXT PRIMARY KEY, slug TEXT, content TEXT, title TEXT, remark TEXT, password TEXT, is_public BOOLEAN DEFAULT 1);
CREATE TABLE fs_meta (id INTEGER PRIMARY KEY, path TEXT, password TEXT);
CREATE TABLE unheard_of (x);
INSERT INTO admins VALUES ('11111111-1111-4111-8111-111111111111', 'boss', '@sha256(an old administrator)');
INSERT INTO api_keys VALUES
    ('22222222-2222-4222-8222-000000000001', 'guest', 'guest', 0, 'GUEST', '/', 0, NULL, NULL, '9999-12-31T23:59:59Z'),
    ('22222222-2222-4222-8222-000000000002', 'bound', 'Ab3dEf6hIj9k', 771, 'GENERAL', '/', 1, NULL, NULL, '9999-12-31T23:59:59Z'),
    ('22222222-2222-4222-8222-000000000003', 'free', 'Xb3dEf6hIj9k', 771, 'GENERAL', '/', 1, NULL, NULL, '9999-12-31T23:59:59Z');
INSERT INTO principal_storage_acl VALUES ('API_KEY', '22222222-2222-4222-8222-000000000002', '33333333-3333-4333-8333-000000000001');
INSERT INTO storage_configs VALUES
    ('33333333-3333-4333-8333-000000000001', 'bucket', 'S3', NULL, 1, 1, NULL, 'ENABLED',
     json_object('provider_type', 'AWS S3', 'endpoint_url', '@endpoint', 'bucket_name', '@bucket', 'region', '@region', 'path_style', 1, 'default_folder', 'x', 'total_storage_bytes', 1000000,
        'access_key_id', '@sealed(@access)', 'secret_access_key', '@sealed(@secret)', 'root_prefix', 'base/', 'list', json_array(1)), NULL, NULL, NULL),
    ('33333333-3333-4333-8333-000000000002', 'cloud drive', 'ONEDRIVE', NULL, 1, 0, NULL, 'ENABLED', '{"client_secret":"s"}', NULL, NULL, NULL),
    ('33333333-3333-4333-8333-000000000003', 'garbled', 'S3', NULL, 1, 0, NULL, 'ENABLED', '{"provider', NULL, NULL, NULL),
    ('33333333-3333-4333-8333-000000000004', 'off', 'S3', NULL, 1, 0, NULL, 'DISABLED',
     json_object('provider_type', 'Other', 'endpoint_url', '@endpoint', 'bucket_name', '@bucket', 'path_style', json('true'), 'access_key_id', 'a', 'secret_access_key', 'b'), NULL, NULL, NULL);
INSERT INTO s3_configs VALUES ('33333333-3333-4333-8333-000000000001', 'bucket', 'Other', '@endpoint', '@bucket', '@access', '@secret');
INSERT INTO pastes VALUES
    ('55555555-5555-4555-8555-000000000001', 'titled', 'text', 'A title', NULL, NULL, 1),
    ('55555555-5555-4555-8555-000000000002', 'private', 'only for me', NULL, NULL, NULL, 0);
INSERT INTO fs_meta VALUES (1, '/docs', 'folder password');
INSERT INTO unheard_of VALUES (1), (2);
