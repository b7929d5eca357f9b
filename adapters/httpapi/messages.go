package httpapi

import (
	"fmt"
	"strconv"
	"strings"
)

// text is a message in both languages. Placeholders are {name}, or
// {name|bytes} for a size in words.
type text struct{ zh, en string }

// catalogue holds every message that leaves with an answer. A message is
// looked up by the error's text, then by "noun.key" with the noun of the
// operation ("paste.expired"), then by its machine code. The texts of contract
// §1.4 contain the listed words in both languages, because clients look for
// them.
var catalogue = map[string]text{
	// Successes.
	"ok":      {"操作成功", "OK"},
	"created": {"创建成功", "Created"},
	"partial": {"部分操作未成功", "Partly done"},

	// Machine codes.
	"internal":              {"服务器内部错误，请稍后重试", "Something went wrong on the server; please try again later"},
	"invalid_argument":      {"请求参数无效", "The request is not valid"},
	"unauthenticated":       {"未授权访问，请登录后重试", "未授权访问 (please sign in)"},
	"permission_denied":     {"没有权限执行此操作", "权限不足 (you do not have the permission)"},
	"policy_denied":         {"没有权限：策略不允许此操作", "权限不足 (a policy does not allow this)"},
	"policy_unavailable":    {"权限策略暂时不可用", "The permission policy does not answer"},
	"path_forbidden":        {"没有权限访问此路径", "权限不足 (you may not use this path)"},
	"mount_forbidden":       {"没有权限访问此挂载点", "权限不足 (you may not use this mount)"},
	"root_forbidden":        {"没有权限操作根目录", "权限不足 (not possible at the root)"},
	"not_owner":             {"没有权限：您不是创建者", "权限不足 (it belongs to somebody else)"},
	"storage_forbidden":     {"没有权限使用此存储配置", "没有权限使用此存储配置 (you may not use this storage)"},
	"not_found":             {"请求的内容不存在", "不存在 (not found)"},
	"mount_not_found":       {"挂载点不存在", "不存在 (no such mount)"},
	"upload_not_found":      {"上传任务不存在", "不存在 (no such upload)"},
	"already_exists":        {"名称已存在", "It exists already"},
	"in_use":                {"无法删除：有文件正在使用", "有文件正在使用 (it is still in use)"},
	"type_mismatch":         {"类型不匹配", "The type does not fit"},
	"cross_mount":           {"不能跨挂载点操作", "Not possible across mounts"},
	"into_self":             {"不能移动或复制到自身", "Not possible into itself"},
	"too_large":             {"请求内容过大", "内容过大 (too large)"},
	"content_too_large":     {"内容过大，超出服务器限制", "内容过大 (content too large)"},
	"unsupported_media":     {"不支持的内容类型", "This kind of content is not supported"},
	"not_supported":         {"不支持此操作", "Not supported"},
	"quota_exceeded":        {"存储空间不足：文件大小({size|bytes})，剩余空间({rest|bytes})，总容量限制为{total|bytes}。", "存储空间不足 (insufficient storage): file size(" + "{size|bytes}), remaining space({rest|bytes}), capacity limit is {total|bytes}."},
	"range_invalid":         {"请求的范围无效", "The range cannot be satisfied"},
	"precondition_failed":   {"内容已被更改，请刷新后重试", "It has changed in the meantime"},
	"locked":                {"资源已被锁定", "It is locked"},
	"storage_unavailable":   {"存储服务暂时不可用，请稍后重试", "Storage does not answer; please try again later"},
	"storage_denied":        {"存储服务拒绝了请求", "Storage refused the request"},
	"rate_limited":          {"请求过于频繁，请稍后重试", "Too many requests; please try again later"},
	"overloaded":            {"服务器繁忙，请稍后重试", "The server is busy; please try again shortly"},
	"idempotency_reused":    {"该幂等键已用于其他请求", "This idempotency key was used with another request"},
	"idempotency_running":   {"相同的请求正在处理中", "The same request is still running"},
	"uri_too_long":          {"请求地址过长", "The address is too long"},
	"body_timeout":          {"请求内容发送过慢", "The body arrived too slowly"},
	"slug_taken":            {"链接后缀已被占用，请尝试其他后缀", "链接后缀已被占用 (this link is already in use)"},
	"slug_reserved":         {"此链接后缀为系统保留，请使用其他后缀", "系统保留 (this link is reserved)"},
	"slug_invalid":          {"链接后缀只能包含字母、数字、连字符和下划线，最多50个字符", "A link may hold letters, digits, - and _ only, at most 50"},
	"password_required":     {"需要密码才能访问", "需要密码 (a password is needed)"},
	"password_wrong":        {"密码错误", "密码错误 (wrong password)"},
	"expired":               {"分享已过期", "已过期 (expired)"},
	"used_up":               {"已过期：已达到最大查看次数", "已过期，最大查看次数 (all views are used up)"},
	"validation_incomplete": {"部分设置未保存", "Some settings were not saved"},

	// By noun.
	"paste.not_found":       {"文本分享不存在", "不存在 (no such text)"},
	"paste.expired":         {"文本分享已过期", "文本分享已过期 (this text has expired)"},
	"paste.used_up":         {"已达到最大查看次数，文本分享已过期", "最大查看次数 (all views of this text are used up)"},
	"file.not_found":        {"文件不存在", "不存在 (no such file)"},
	"file.expired":          {"文件已过期", "文件已过期 (this file has expired)"},
	"file.used_up":          {"文件已过期：已达到最大查看次数", "文件已过期，最大查看次数 (all views of this file are used up)"},
	"file.password_wrong":   {"密码不正确", "密码不正确 (wrong password)"},
	"file.too_large":        {"文件过大，超出上传限制", "文件过大 (the file is over the upload limit)"},
	"file.invalid":          {"文件参数无效", "The file's fields are not valid"},
	"upload.password_wrong": {"密码不正确", "密码不正确 (wrong password)"},

	// Who is asking, and the account.
	"auth.credential":         {"未授权访问，凭据无效或已过期", "未授权访问 (the credential is not valid or has expired)"},
	"auth.login":              {"用户名或密码错误", "Wrong user name or password"},
	"auth.login_fields":       {"用户名和密码不能为空", "A user name and a password are needed"},
	"auth.plain_basic":        {"没有权限：不允许通过未加密的连接使用用户名和密码", "权限不足 (a name and password may not be sent over an open line)"},
	"auth.basic_needs_webdav": {"没有权限：该API密钥没有WebDAV读取权限", "权限不足 (this API key does not have the WebDAV permission)"},
	"auth.too_many":           {"尝试次数过多，请稍后再试", "Too many tries; please wait a while"},
	"auth.no_session":         {"会话不存在", "不存在 (no such session)"},
	"account.current_missing": {"请输入当前密码", "The current password is needed"},
	"account.current_wrong":   {"当前密码错误", "The current password is wrong"},
	"account.nothing_new":     {"请提供新用户名或新密码", "A new user name or a new password is needed"},
	"account.same_password":   {"新密码不能与当前密码相同", "The new password must differ from the current one"},
	"account.username":        {"用户名须为1到50个字符，且不能包含冒号", "A user name has 1 to 50 characters and no colon"},
	"account.name_taken":      {"用户名已被占用", "This user name is taken"},
	"account.none":            {"管理员不存在", "不存在 (there is no administrator)"},
	"password.length":         {"密码长度须为{min}到{max}个字符", "A password has {min} to {max} characters"},
	"password.common":         {"该密码过于常见，请更换", "This password is well known; please choose another"},
	"password.named":          {"密码不能包含站点名称或用户名", "The password must not contain the name of the site or the user"},

	// API keys.
	"key.name":          {"名称不能为空，最多100个字符", "A name is needed, of at most 100 characters"},
	"key.permissions":   {"权限值无效", "The permissions are not valid"},
	"key.role":          {"角色无效", "The role is not valid"},
	"key.basic_path":    {"基本路径须以/开头，且不能包含空段或点段", "The basic path starts with / and has no empty or dot segments"},
	"key.expires_at":    {"过期时间无效", "The expiry is not a date"},
	"key.custom":        {"自定义密钥只能包含字母、数字、连字符和下划线", "A key may hold letters, digits, - and _ only"},
	"key.custom_short":  {"自定义密钥长度须为{min}到{max}个字符", "A key has {min} to {max} characters"},
	"key.custom_common": {"该密钥过于常见，请更换", "This key is well known; please choose another"},
	"key.nothing":       {"没有有效的更新字段", "There is nothing to change"},
	"key.unknown":       {"API密钥不存在", "不存在 (no such API key)"},
	"key.taken":         {"名称或密钥已存在", "The name or the key exists already"},

	// Settings.
	"settings.saved":         {"设置已保存", "The settings are saved"},
	"settings.unknown":       {"设置项不存在", "不存在 (no such setting)"},
	"settings.key_missing":   {"缺少参数key", "The parameter key is missing"},
	"settings.other_group":   {"该设置项不属于此分组", "This setting belongs to another group"},
	"settings.read_only":     {"该设置项为只读", "This setting cannot be changed"},
	"settings.not_a_number":  {"须为整数", "A whole number is needed"},
	"settings.not_text":      {"须为文本", "A text is needed"},
	"settings.not_a_choice":  {"不是可选的值", "This value cannot be chosen"},
	"settings.out_of_range":  {"数值须在{min}到{max}之间", "The number must be from {min} to {max}"},
	"settings.too_long":      {"内容最多{max}个字符", "At most {max} characters"},
	"settings.bad_extension": {"扩展名{value}无效", "The extension {value} is not valid"},
	"settings.empty_list":    {"列表不能为空", "The list must not be empty"},
	"settings.bad_icon":      {"须为http、https或data:image地址", "An http, https or data:image address is needed"},
	"settings.bad_origin":    {"来源须形如https://example.com", "An origin looks like https://example.com"},

	// Texts of shares.
	"content_empty":          {"内容不能为空", "The content must not be empty"},
	"share_not_protected":    {"此分享没有设置密码", "This share has no password"},
	"file_not_uploaded":      {"文件尚未上传完成，请先上传文件", "The file has not arrived in storage yet"},
	"upload_cut":             {"上传内容不完整", "The upload ended too early"},
	"storage_unknown":        {"存储配置不存在", "不存在 (no such storage config)"},
	"storage_missing":        {"未选择存储配置", "No storage config was chosen, or there is none"},
	"not_office":             {"不是可预览的Office文档", "This is not an office document that can be previewed"},
	"required":               {"缺少参数{field}", "The field {field} is missing"},
	"too_long":               {"字段{field}过长", "The field {field} is too long"},
	"too_many_items":         {"一次最多处理1000项", "At most 1000 items at once"},
	"max_views_invalid":      {"最大查看次数无效", "The view limit is not valid"},
	"expiry_invalid":         {"过期时间无效：必须晚于现在且不超过一百年", "The expiry must lie ahead, by at most a hundred years"},
	"syntax_invalid":         {"语法名称无效", "The syntax name is not valid"},
	"not_utf8":               {"内容不是有效的UTF-8文本", "The content is not valid UTF-8"},
	"filename_invalid":       {"文件名无效", "The file name is not valid"},
	"size_invalid":           {"文件大小无效", "The file size is not valid"},
	"delete_mode_invalid":    {"删除模式无效", "The delete mode is not valid"},
	"nothing_to_change":      {"没有可更新的字段", "No field to change was sent"},
	"too_many_guesses":       {"密码尝试次数过多，请稍后再试", "Too many wrong passwords; please try again later"},
	"policy_share_max_age":   {"没有权限：有效期不能超过{limit}秒", "权限不足 (a share may live at most {limit} seconds)"},
	"policy_share_max_views": {"没有权限：最大查看次数不能超过{limit}", "权限不足 (a share may have at most {limit} views)"},
	"policy_max_size":        {"没有权限：大小不能超过{limit|bytes}", "权限不足 (at most {limit|bytes} are allowed)"},
	"form_invalid":           {"表单格式无效", "The form is not valid"},
	"form_file_missing":      {"表单中没有文件", "The form holds no file"},
	"form_order":             {"文件之后不能再有字段，请将字段放在文件之前", "Fields must come before the file, or the file before all fields"},
	"deleted_count":          {"成功删除{count}项", "{count} deleted"},

	// Texts of storage and its neighbours.
	"link_invalid":          {"链接无效或已过期", "The link is not valid or has run out"},
	"link_lifetime":         {"链接有效期无效", "The lifetime of the link is not valid"},
	"storage_key_invalid":   {"存储路径无效", "The name cannot be stored"},
	"storage_list_invalid":  {"存储列表参数无效", "The listing cannot be made"},
	"part_invalid":          {"分片编号或顺序无效", "The parts are not valid"},
	"body_length":           {"内容长度与声明不符", "The body has another length than announced"},
	"folder_in_the_way":     {"同名文件夹已存在", "A folder has this name"},
	"file_in_the_way":       {"同名文件已存在", "A file has this name"},
	"gone":                  {"分享已过期", "已过期 (gone)"},
	"paste.gone":            {"文本分享已过期", "文本分享已过期 (this text is gone)"},
	"file.gone":             {"文件已过期", "文件已过期 (this file is gone)"},
	"disk_full":             {"存储空间不足：服务器磁盘已满", "存储空间不足 (the server's disk is full)"},
	"database_busy":         {"数据库繁忙，请稍后重试", "The database is busy; please try again shortly"},
	"policy_invalid":        {"策略规则无效", "The policy rules are not valid"},
	"field_required":        {"字段{field}为必填项", "The field {field} is required"},
	"directory_invalid":     {"字段{field}的目录无效", "The field {field} names no usable folder"},
	"number_invalid":        {"字段{field}的数字无效", "The field {field} is not a valid number"},
	"driver_answer_invalid": {"存储驱动返回了无效的结果", "The storage driver answered something that cannot be used"},

	// Texts of the chain.
	"path_unclean":            {"路径无效：不允许空段、点段、反斜杠或控制字符", "The path holds empty or dot segments, backslashes or control characters"},
	"route_unknown":           {"接口不存在", "不存在 (no such call)"},
	"json_invalid":            {"请求内容不是有效的JSON", "The body is not valid JSON"},
	"json_deep":               {"请求内容嵌套过深", "The body is nested too deeply"},
	"json_duplicate":          {"字段{field}重复", "The field {field} stands twice"},
	"field_type":              {"字段{field}的类型无效", "The field {field} has the wrong type"},
	"content_encoding":        {"不支持压缩的请求内容", "Compressed bodies are not accepted"},
	"body_too_large":          {"请求内容过大，最多{limit|bytes}", "内容过大 (the body may have at most {limit|bytes})"},
	"body_cut":                {"请求内容不完整", "The body ended too early"},
	"idempotency_key_invalid": {"幂等键无效", "The idempotency key is not valid"},
	"page_not_found":          {"页面不存在", "不存在 (no such page)"},
}

// message gives the text of a failure in the language of the request. A
// message that a site's policy wrote comes first; visitors do not see those.
func (x *exchange) message(f failure) string {
	lang := x.language()
	if own, ok := f.err.Params["messages"].(map[string]string); ok && x.authenticated() {
		if m := pick(own, lang); m != "" {
			return m
		}
	}
	return render(x.find(f.err.Text, f.key), lang, f.err.Params)
}

// find looks a message up; every machine code of the table has one.
func (x *exchange) find(keys ...string) text {
	for _, key := range keys {
		if key == "" {
			continue
		}
		if x.route != nil {
			if t, ok := catalogue[x.route.noun+"."+key]; ok {
				return t
			}
		}
		if t, ok := catalogue[key]; ok {
			return t
		}
	}
	return catalogue["internal"]
}

// pick chooses from texts by language tag: the language, then the untagged one.
func pick(texts map[string]string, lang string) string {
	for _, tag := range []string{lang, lang + "-CN", lang + "-US", ""} {
		if t := texts[tag]; t != "" {
			return t
		}
	}
	return ""
}

// render fills the placeholders of a message.
func render(t text, lang string, params map[string]any) string {
	s := t.zh
	if lang == "en" {
		s = t.en
	}
	if !strings.Contains(s, "{") {
		return s
	}
	var b strings.Builder
	for {
		open := strings.IndexByte(s, '{')
		end := strings.IndexByte(s, '}')
		if open < 0 || end < open {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:open])
		name, form, _ := strings.Cut(s[open+1:end], "|")
		b.WriteString(param(params, name, form))
		s = s[end+1:]
	}
}

func param(params map[string]any, name, form string) string {
	v, ok := params[name]
	if !ok && name == "rest" {
		v, ok = max(number(params["total"])-number(params["used"]), 0), true
	}
	if !ok {
		v = ""
	}
	if form == "bytes" {
		return sizeText(number(v))
	}
	return fmt.Sprint(v)
}

func number(v any) int64 {
	switch n := v.(type) {
	case int64:
		return n
	case int:
		return int64(n)
	case float64:
		return int64(n)
	}
	return 0
}

// sizeText writes a size with two decimals, base 1024 (contract §1.4).
func sizeText(n int64) string {
	units := []string{"B", "KB", "MB", "GB", "TB"}
	f, i := float64(n), 0
	for f >= 1024 && i < len(units)-1 {
		f /= 1024
		i++
	}
	return strconv.FormatFloat(f, 'f', 2, 64) + " " + units[i]
}

// language chooses between "zh" and "en" by Accept-Language; zh without one.
func language(accept []string) string {
	best, bestQ := "zh", 0.0
	for _, line := range accept {
		for item := range strings.SplitSeq(line, ",") {
			tag, params, _ := strings.Cut(strings.TrimSpace(item), ";")
			tag = strings.ToLower(tag)
			lang := ""
			switch {
			case strings.HasPrefix(tag, "zh"):
				lang = "zh"
			case strings.HasPrefix(tag, "en"):
				lang = "en"
			default:
				continue
			}
			q := 1.0
			if v, ok := strings.CutPrefix(strings.TrimSpace(params), "q="); ok {
				if p, err := strconv.ParseFloat(v, 64); err == nil {
					q = p
				}
			}
			if q > bestQ {
				best, bestQ = lang, q
			}
		}
	}
	return best
}
