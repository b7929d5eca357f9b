-- A database of the predecessor at schema version 17, with all that is easy
-- and all that is odd. Passwords are SHA-256 of what the comment says.
CREATE TABLE admins (id TEXT PRIMARY KEY, username TEXT UNIQUE NOT NULL, password TEXT NOT NULL,
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP, updated_at DATETIME DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE admin_tokens (token TEXT PRIMARY KEY, admin_id TEXT NOT NULL, expires_at DATETIME NOT NULL, created_at DATETIME DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE api_keys (id TEXT PRIMARY KEY, name TEXT UNIQUE NOT NULL, key TEXT UNIQUE NOT NULL, permissions INTEGER DEFAULT 0, role TEXT DEFAULT 'GENERAL',
    basic_path TEXT DEFAULT '/', is_guest BOOLEAN DEFAULT 0, last_used DATETIME, created_at DATETIME DEFAULT CURRENT_TIMESTAMP, expires_at DATETIME NOT NULL);
CREATE TABLE s3_configs (id TEXT PRIMARY KEY, name TEXT NOT NULL, provider_type TEXT NOT NULL, endpoint_url TEXT NOT NULL, bucket_name TEXT NOT NULL, region TEXT,
    access_key_id TEXT NOT NULL, secret_access_key TEXT NOT NULL, path_style BOOLEAN DEFAULT 0, default_folder TEXT DEFAULT '', is_public BOOLEAN DEFAULT 0,
    is_default BOOLEAN DEFAULT 0, total_storage_bytes BIGINT, custom_host TEXT, signature_expires_in INTEGER DEFAULT 3600,
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP, updated_at DATETIME DEFAULT CURRENT_TIMESTAMP, last_used DATETIME, admin_id TEXT);
CREATE TABLE storage_mounts (id TEXT PRIMARY KEY, name TEXT NOT NULL, storage_type TEXT NOT NULL, storage_config_id TEXT, mount_path TEXT NOT NULL, remark TEXT,
    is_active BOOLEAN DEFAULT 1, created_by TEXT NOT NULL, sort_order INTEGER DEFAULT 0, cache_ttl INTEGER DEFAULT 300, web_proxy BOOLEAN DEFAULT 0,
    webdav_policy TEXT DEFAULT '302_redirect', enable_sign BOOLEAN DEFAULT 0, sign_expires INTEGER DEFAULT NULL,
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP, updated_at DATETIME DEFAULT CURRENT_TIMESTAMP, last_used DATETIME);
CREATE TABLE pastes (id TEXT PRIMARY KEY, slug TEXT UNIQUE NOT NULL, content TEXT NOT NULL, remark TEXT, password TEXT, expires_at DATETIME, max_views INTEGER,
    views INTEGER DEFAULT 0, created_by TEXT, created_at DATETIME DEFAULT CURRENT_TIMESTAMP, updated_at DATETIME DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE paste_passwords (paste_id TEXT PRIMARY KEY, plain_password TEXT NOT NULL);
CREATE TABLE files (id TEXT PRIMARY KEY, slug TEXT UNIQUE NOT NULL, filename TEXT NOT NULL, storage_config_id TEXT NOT NULL, storage_type TEXT NOT NULL,
    storage_path TEXT NOT NULL, file_path TEXT, mimetype TEXT NOT NULL, size INTEGER NOT NULL, etag TEXT, remark TEXT, password TEXT, expires_at DATETIME,
    max_views INTEGER, views INTEGER DEFAULT 0, use_proxy BOOLEAN DEFAULT 0, created_by TEXT,
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP, updated_at DATETIME DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE file_passwords (file_id TEXT PRIMARY KEY, plain_password TEXT NOT NULL);
CREATE TABLE system_settings (key TEXT PRIMARY KEY, value TEXT NOT NULL, description TEXT, type TEXT DEFAULT 'string', group_id INTEGER DEFAULT 1, options TEXT,
    sort_order INTEGER DEFAULT 0, flags INTEGER DEFAULT 0, created_at DATETIME DEFAULT CURRENT_TIMESTAMP, updated_at DATETIME DEFAULT CURRENT_TIMESTAMP);

-- "an old administrator"
INSERT INTO admins (id, username, password, created_at) VALUES
    ('11111111-1111-4111-8111-111111111111', 'boss', '@sha256(an old administrator)', '2024-03-01 10:00:00'),
    ('11111111-1111-4111-8111-222222222222', 'deputy', '@sha256(somebody else)', '2024-03-02 10:00:00');
INSERT INTO admin_tokens VALUES ('oldtokenoldtokenoldtokenoldtoken', '11111111-1111-4111-8111-111111111111', '2099-01-01T00:00:00.000Z', '2025-08-01 00:00:00');

INSERT INTO api_keys (id, name, key, permissions, role, basic_path, is_guest, expires_at, last_used) VALUES
    ('22222222-2222-4222-8222-000000000001', 'uploader', 'Ab3dEf6hIj9k', 771, 'GENERAL', '/docs/', 0, '9999-12-31T23:59:59.000Z', '2025-08-01 12:00:00'),
    ('22222222-2222-4222-8222-000000000002', 'expired', 'Xb3dEf6hIj9k', 1, 'GENERAL', '/', 0, '2025-01-01T00:00:00.000Z', NULL),
    ('22222222-2222-4222-8222-000000000003', 'short', 'abc', 1, 'GENERAL', '/', 0, '9999-12-31T23:59:59.000Z', NULL),
    ('22222222-2222-4222-8222-000000000004', 'climber', 'Yb3dEf6hIj9k', 256, 'GENERAL', '/a/../b', 0, '9999-12-31T23:59:59.000Z', NULL),
    ('22222222-2222-4222-8222-000000000005', 'bits', 'Zb3dEf6hIj9k', 1073741825, 'WIZARD', NULL, 1, '9999-12-31T23:59:59.000Z', NULL),
    ('22222222-2222-4222-8222-000000000006', 'timeless', 'Wb3dEf6hIj9k', 1, 'GENERAL', '/', 0, 'soon', NULL),
    ('22222222-2222-4222-8222-000000000007', 'wordy', 'Vb3dEf6hIj9k', 'all', 'GENERAL', '/', 0, '9999-12-31T23:59:59.000Z', NULL);

INSERT INTO s3_configs (id, name, provider_type, endpoint_url, bucket_name, region, access_key_id, secret_access_key, path_style, default_folder, is_public, is_default, total_storage_bytes, custom_host, admin_id) VALUES
    ('33333333-3333-4333-8333-000000000001', 'bucket', 'Other', '@endpoint', '@bucket', '@region', '@sealed(@access)', '@sealed(@secret)', 1, '/in/', 1, 1, 10737418240, NULL, '11111111-1111-4111-8111-111111111111'),
    ('33333333-3333-4333-8333-000000000002', 'plain', 'Other', '@endpoint', '@bucket', '@region', '@access', '@secret', 1, '', 0, 0, NULL, 'cdn.example.com', '11111111-1111-4111-8111-111111111111'),
    ('33333333-3333-4333-8333-000000000003', 'damaged', 'Other', '@endpoint', '@bucket', '@region', 'encrypted:AAAA:!!', '@sealed(@secret)', 1, '', 0, 0, NULL, NULL, '11111111-1111-4111-8111-111111111111'),
    ('33333333-3333-4333-8333-000000000004', 'unreachable', 'Other', 'ftp://example.com', 'b', NULL, 'a', 'b', 1, '', 0, 0, NULL, NULL, NULL);

INSERT INTO storage_mounts (id, name, storage_type, storage_config_id, mount_path, is_active, created_by, sort_order, cache_ttl, web_proxy, webdav_policy, enable_sign, sign_expires) VALUES
    ('44444444-4444-4444-8444-000000000001', 'Documents', 'S3', '33333333-3333-4333-8333-000000000001', '/docs', 1, '11111111-1111-4111-8111-111111111111', 2, 60, 1, 'native_proxy', 1, 3600),
    ('44444444-4444-4444-8444-000000000002', 'Again', 'S3', '33333333-3333-4333-8333-000000000001', '/docs/', 1, '11111111-1111-4111-8111-111111111111', 0, 300, 0, '302_redirect', 0, NULL),
    ('44444444-4444-4444-8444-000000000003', 'System', 'S3', '33333333-3333-4333-8333-000000000001', '/etc', 1, '11111111-1111-4111-8111-111111111111', 0, 300, 0, '302_redirect', 0, NULL),
    ('44444444-4444-4444-8444-000000000004', 'Nowhere', 'S3', '33333333-3333-4333-8333-999999999999', '/none', 1, '11111111-1111-4111-8111-111111111111', 0, 300, 0, '302_redirect', 0, NULL),
    ('44444444-4444-4444-8444-000000000005', 'Odd', 'S3', '33333333-3333-4333-8333-000000000001', '/odd', 0, '11111111-1111-4111-8111-111111111111', 0, 99999999, 0, 'by_pigeon', 0, NULL),
    ('44444444-4444-4444-8444-000000000006', 'Signed?', 'S3', '33333333-3333-4333-8333-000000000001', '/maybe', 1, '11111111-1111-4111-8111-111111111111', 0, 300, 1, '302_redirect', 'perhaps', NULL);

INSERT INTO pastes (id, slug, content, remark, password, expires_at, max_views, views, created_by, created_at, updated_at) VALUES
    ('55555555-5555-4555-8555-000000000001', 'plain', '# Hello' || char(10) || 'from before', 'a remark', NULL, NULL, NULL, 7, '11111111-1111-4111-8111-111111111111', '2025-08-01T10:00:00.123Z', '2025-08-02 11:00:00'),
    ('55555555-5555-4555-8555-000000000002', 'locked', 'for friends', '', '@sha256(open sesame)', '2099-01-01T00:00:00.000Z', 100, 3, 'apikey:22222222-2222-4222-8222-000000000001', '2025-08-01 10:00:00', '2025-08-01 10:00:00'),
    ('55555555-5555-4555-8555-000000000003', 'Case', 'upper', NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL),
    ('55555555-5555-4555-8555-000000000004', 'case', 'lower', NULL, NULL, NULL, NULL, 0, 'apikey:22222222-2222-4222-8222-999999999999', '2025-08-01', 'yesterday'),
    ('55555555-5555-4555-8555-000000000005', 'usedup', 'gone', NULL, NULL, NULL, 2, 2, '11111111-1111-4111-8111-111111111111', '2025-08-01 10:00:00', '2025-08-01 10:00:00'),
    ('55555555-5555-4555-8555-000000000006', 'over', 'late', NULL, NULL, '2025-01-01T00:00:00.000Z', NULL, 0, '11111111-1111-4111-8111-111111111111', '2024-08-01 10:00:00', '2024-08-01 10:00:00'),
    ('55555555-5555-4555-8555-000000000007', 'admin', 'a reserved word keeps its link', NULL, NULL, NULL, NULL, 0, '11111111-1111-4111-8111-111111111111', '2024-08-01 10:00:00', '2024-08-01 10:00:00'),
    ('55555555-5555-4555-8555-000000000008', '@long(51)', 'a link too long', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL),
    ('55555555-5555-4555-8555-000000000009', 'a/b', 'an unclean link', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL),
    ('55555555-5555-4555-8555-000000000010', 'empty', '', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL),
    ('55555555-5555-4555-8555-000000000011', 'broken', CAST(x'68ff69' AS TEXT), NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL),
    ('55555555-5555-4555-8555-000000000012', 'never', 'when?', NULL, NULL, 'whenever', NULL, 0, NULL, NULL, NULL),
    ('55555555-5555-4555-8555-000000000013', 'negative', 'less than none', NULL, NULL, NULL, -1, 0, NULL, NULL, NULL),
    ('55555555-5555-4555-8555-000000000014', 'halves', 'two and a half', NULL, NULL, NULL, 2.5, 0, NULL, NULL, NULL),
    ('55555555-5555-4555-8555-000000000015', 'badhash', 'nobody can open it', NULL, '@long(64)', NULL, NULL, 0, NULL, NULL, NULL),
    ('55555555-5555-4555-8555-000000000016', 'clear', 'its password lies open', NULL, 'open as day', NULL, NULL, 0, NULL, NULL, NULL),
    ('odd id 17', 'oddid', 'an id of another kind', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL),
    (NULL, 'noid', 'no id', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL),
    ('55555555-5555-4555-8555-000000000019', 'chatty', 'a long remark', '@long(5000)', NULL, NULL, NULL, 0, NULL, NULL, NULL),
    ('55555555-5555-4555-8555-000000000020', 'blob', CAST('bytes' AS BLOB), NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL);
INSERT INTO paste_passwords VALUES ('55555555-5555-4555-8555-000000000002', 'open sesame');

INSERT INTO files (id, slug, filename, storage_config_id, storage_type, storage_path, file_path, mimetype, size, etag, password, max_views, views, use_proxy, created_by, created_at) VALUES
    ('66666666-6666-4666-8666-000000000001', 'report', 'report.txt', '33333333-3333-4333-8333-000000000001', 'S3', 'in/report.txt', NULL, 'text/html', 18, '"abc"', NULL, NULL, 4, 1, '11111111-1111-4111-8111-111111111111', '2025-08-01 10:00:00'),
    ('66666666-6666-4666-8666-000000000002', 'secret', '报告 1.pdf', '33333333-3333-4333-8333-000000000001', 'S3', 'in/secret.pdf', '/docs/in/secret.pdf', 'application/pdf', 13, NULL, '@sha256(hush)', NULL, 0, 0, 'apikey:22222222-2222-4222-8222-000000000001', '2025-08-01 10:00:00'),
    ('66666666-6666-4666-8666-000000000003', 'lost', 'lost.txt', '33333333-3333-4333-8333-999999999999', 'S3', 'lost.txt', NULL, 'text/plain', 1, NULL, NULL, NULL, 0, 0, NULL, NULL),
    ('66666666-6666-4666-8666-000000000004', 'climbing', 'x.txt', '33333333-3333-4333-8333-000000000001', 'S3', 'in/../../x.txt', NULL, 'text/plain', 1, NULL, NULL, NULL, 0, 0, NULL, NULL),
    ('66666666-6666-4666-8666-000000000005', 'sizeless', 'x.txt', '33333333-3333-4333-8333-000000000001', 'S3', 'x.txt', NULL, 'text/plain', 'big', NULL, NULL, NULL, 0, 0, NULL, NULL),
    ('66666666-6666-4666-8666-000000000006', 'plain', 'same link as a text.txt', '33333333-3333-4333-8333-000000000002', 'S3', 'x.txt', NULL, 'text/plain', 0, NULL, NULL, NULL, 0, 0, NULL, NULL),
    ('66666666-6666-4666-8666-000000000007', 'undermined', 'x.txt', '33333333-3333-4333-8333-000000000003', 'S3', 'x.txt', NULL, 'text/plain', 0, NULL, NULL, NULL, 0, 0, NULL, NULL),
    ('66666666-6666-4666-8666-000000000008', 'control', 'x' || char(27) || '[2J.txt', '33333333-3333-4333-8333-000000000001', 'S3', 'x.txt', NULL, 'text/plain', 0, NULL, NULL, NULL, 0, 0, NULL, NULL);
INSERT INTO files (id, slug, filename, storage_config_id, storage_type, storage_path, mimetype, size, expires_at, max_views, views, use_proxy, created_by) VALUES
    ('66666666-6666-4666-8666-000000000009', 'late', 'report.txt', '33333333-3333-4333-8333-000000000001', 'S3', 'in/report.txt', 'text/plain', 18, '2025-01-01T00:00:00.000Z', NULL, 0, 1, NULL),
    ('66666666-6666-4666-8666-000000000010', 'drained', 'once.txt', '33333333-3333-4333-8333-000000000001', 'S3', 'in/once.txt', 'text/plain', 5, NULL, 1, 1, 1, NULL);
INSERT INTO file_passwords VALUES ('66666666-6666-4666-8666-000000000002', 'hush');

INSERT INTO system_settings (key, value) VALUES
    ('max_upload_size', '250'), ('proxy_sign_all', 'true'), ('proxy_sign_expires', '0'), ('webdav_upload_mode', 'multipart'), ('site_title', 'My old site'),
    ('preview_document_types', 'no such.thing'), ('file_naming_strategy', 'by_moon'), ('schema_version', '17'), ('db_initialized', 'true'),
    ('migration_17', 'completed'), ('some_old_switch', '1');
